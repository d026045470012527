-- Upstream destinations, models, prices, aliases. Owner: lib/catalogue; written by mgctl alone.
CREATE TABLE IF NOT EXISTS catalogue_version (
    id         TINYINT UNSIGNED NOT NULL COMMENT 'always 1: there is one row' CHECK (id = 1),
    version    BIGINT UNSIGNED NOT NULL
               COMMENT 'one more with every change of the tables below, in its transaction',
    changed_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC of the last change',
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='tells a process that its copy of the catalogue is old; its lock orders the changes';

INSERT IGNORE INTO catalogue_version (id, version, changed_ms) VALUES (1, 1, 0);

CREATE TABLE IF NOT EXISTS upstream (
    id         INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'destination',
    name       VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'what the operator calls it',
    url        VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'base to which /chat/completions, /responses, /messages is appended',
    formats    VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'words chat, responses, completions, messages with commas between; the first is what we translate to',
    sealed     VARBINARY(4200) NULL
               COMMENT 'credential toward it, AES-256-GCM under the master key; NULL = none',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (id),
    UNIQUE KEY upstream_name (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='providers behind the models';

CREATE TABLE IF NOT EXISTS model (
    id             VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'model id as clients write it',
    upstream_id    INT UNSIGNED NOT NULL COMMENT 'destination',
    upstream_model VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'model id as the destination knows it',
    label          VARCHAR(63) NOT NULL DEFAULT ''
                   COMMENT 'name shown to customers; empty = none',
    premium        TINYINT(1) NOT NULL DEFAULT 0
                   COMMENT '1 = usage carries the premium billing label',
    context        BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of the context window; 0 = not stated',
    max_output     BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of the longest answer; 0 = not stated',
    capabilities   VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'any'
                   COMMENT 'words image, pdf, tools, structured, reasoning, sampling, system-midway with commas between; none; any = not stated',
    thinking       VARCHAR(15) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
                   COMMENT 'budget or adaptive: how Messages destinations are told to think; empty = not stated',
    efforts        VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
                   COMMENT 'words none, minimal, low, medium, high, xhigh, max with commas between; empty = not stated',
    created_ms     BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (id),
    CONSTRAINT model_upstream FOREIGN KEY (upstream_id) REFERENCES upstream (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='models that customers may ask for';

CREATE TABLE IF NOT EXISTS price (
    id             BIGINT UNSIGNED NOT NULL AUTO_INCREMENT
                   COMMENT 'version of a price: stands in every ledger row it was used for',
    model          VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'model id; the row with the highest id is the price of today',
    input          BIGINT NOT NULL COMMENT 'pico-credits a token of input outside any cache',
    output         BIGINT NOT NULL COMMENT 'pico-credits a token of output, reasoning included',
    cache_read     BIGINT NOT NULL COMMENT 'pico-credits a token of input read from a cache',
    cache_write_5m BIGINT NOT NULL COMMENT 'pico-credits a token of input cached with short life',
    cache_write_1h BIGINT NOT NULL COMMENT 'pico-credits a token of input cached with long life',
    created_ms     BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (id),
    KEY price_model (model, id),
    CHECK (input >= 0 AND output >= 0 AND cache_read >= 0 AND cache_write_5m >= 0
           AND cache_write_1h >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='prices, append-only: a bill can be computed again from the version it names';

CREATE TABLE IF NOT EXISTS alias (
    id         VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'model id that means another one; never the id of a model',
    model      VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'the model it means today',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC; stays when the target changes',
    PRIMARY KEY (id),
    CONSTRAINT alias_model FOREIGN KEY (model) REFERENCES model (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='model ids that stay while their target changes';
