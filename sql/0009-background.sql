-- What counting tokens needs to know of a model. Owner: lib/catalogue; written by mgctl alone.
ALTER TABLE model
    ADD COLUMN IF NOT EXISTS token_factor SMALLINT UNSIGNED NOT NULL DEFAULT 1000
    COMMENT 'thousandths: tokens that its provider counts for a thousand that the gateway''s tokenizer does';
