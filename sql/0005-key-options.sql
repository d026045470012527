-- What the owner of a User API Key may restrict it to, and the tokens by which a setup script is
-- fetched. Owner: lib/identity.
ALTER TABLE api_key
    ADD COLUMN IF NOT EXISTS models VARCHAR(2047) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'user: model and alias ids that it may ask for, spaces between; NULL = all',
    ADD COLUMN IF NOT EXISTS monthly_limit BIGINT NULL
        COMMENT 'user: nano-credits that it may spend in a UTC month, above zero; NULL = no limit';

CREATE TABLE IF NOT EXISTS setup_token (
    hash       BINARY(32) NOT NULL
               COMMENT 'SHA-256 of the token (256 random bits); gone when it was used',
    account_id BIGINT UNSIGNED NOT NULL COMMENT 'whose script it fetches',
    target     VARCHAR(15) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'which script: linux, macos, windows …',
    expires_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC from which it is refused',
    PRIMARY KEY (hash),
    KEY setup_token_account (account_id, expires_ms),
    CONSTRAINT setup_token_owner FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='single-use permission to fetch one setup script, for some minutes';
