-- Stored responses and chat completions: what a client may read again. Owner: lib/store.
-- None of this is money: an object may vanish at any time and the ledger stays as it is.
CREATE TABLE IF NOT EXISTS object (
    seq          BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'number of the object, ours',
    account_id   BIGINT UNSIGNED NOT NULL COMMENT 'whose object',
    id           VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                 COMMENT 'id that its client knows: the upstream''s own, or made by us',
    request_id   BINARY(16) NOT NULL COMMENT 'request that made it; its usage has the same',
    kind         ENUM('response','completion') NOT NULL COMMENT 'whose routes know it',
    state        ENUM('queued','in_progress','completed','incomplete','failed','cancelled') NOT NULL
                 COMMENT 'how far its generation got',
    background   TINYINT(1) NOT NULL DEFAULT 0 COMMENT '1 = its generation waits for no client',
    owner        BIGINT UNSIGNED NOT NULL DEFAULT 0
                 COMMENT 'proc.owner of the process that generates it; 0 = nobody does',
    cancel       TINYINT(1) NOT NULL DEFAULT 0 COMMENT '1 = its owner is to stop it',
    model        VARCHAR(127) COLLATE utf8mb4_bin NOT NULL COMMENT 'model id the client asked for',
    upstream     VARCHAR(63) COLLATE utf8mb4_bin NOT NULL DEFAULT ''
                 COMMENT 'upstream that answered: sealed reasoning only goes back there',
    previous     VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
                 COMMENT 'id of the response it continues; empty = none',
    metadata     MEDIUMTEXT NULL COMMENT 'completion: JSON object of texts, as the client set it',
    created_ms   BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    expires_ms   BIGINT NOT NULL COMMENT 'ms since 1970 UTC from which it is gone',
    PRIMARY KEY (seq),
    UNIQUE KEY object_id (account_id, id),
    KEY object_list (account_id, kind, created_ms, seq),
    KEY object_model (account_id, kind, model, created_ms, seq),
    KEY object_request (request_id),
    KEY object_owner (owner),
    KEY object_expiry (expires_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='one row a stored response or completion, also while it is being generated';

CREATE TABLE IF NOT EXISTS object_body (
    object      BIGINT UNSIGNED NOT NULL COMMENT 'object.seq',
    kind        ENUM('input','reply','events') NOT NULL
                COMMENT 'input: JSON array of items or messages; reply: JSON object; events: a piece of the stream, whole events',
    number      INT UNSIGNED NOT NULL COMMENT 'pieces of a stream: 0, 1, 2 …; others: 0',
    first_event BIGINT NOT NULL DEFAULT -1 COMMENT 'events: sequence_number of the first one',
    last_event  BIGINT NOT NULL DEFAULT -1 COMMENT 'events: sequence_number of the last one',
    size        INT UNSIGNED NOT NULL COMMENT 'bytes when inflated',
    body        LONGBLOB NOT NULL COMMENT 'zlib',
    PRIMARY KEY (object, kind, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='what was said: large, read only when asked for';

CREATE TABLE IF NOT EXISTS object_item (
    account_id BIGINT UNSIGNED NOT NULL COMMENT 'whose item',
    id         VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'id of an output item, for item_reference',
    object     BIGINT UNSIGNED NOT NULL COMMENT 'object.seq of the response that holds it',
    PRIMARY KEY (account_id, id, object),
    KEY object_item_object (object)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='where output items lie';

CREATE TABLE IF NOT EXISTS object_tag (
    object     BIGINT UNSIGNED NOT NULL COMMENT 'object.seq of a completion',
    name       VARCHAR(64) COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'key of a pair of its metadata',
    value      VARCHAR(512) COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'value of the pair',
    account_id BIGINT UNSIGNED NOT NULL COMMENT 'whose completion',
    PRIMARY KEY (object, name),
    KEY object_tag_pair (account_id, name, value, object)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='metadata of completions, for filters of lists';

CREATE TABLE IF NOT EXISTS chore (
    name    VARCHAR(31) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
            COMMENT 'a task that one process at a time does for all of them',
    next_ms BIGINT NOT NULL DEFAULT 0
            COMMENT 'ms since 1970 UTC from which somebody may do it again',
    PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='who does periodic work, and when';
