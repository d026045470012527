-- Wallets, their credit, their holds and their history. Owner: lib/ledger.
-- Every change of a wallet's credit happens in a transaction that first locks its wallet row,
-- several of them in the order of their ids. Amounts are nano-credits (10^9 = 1 credit).
CREATE TABLE IF NOT EXISTS wallet (
    id             BIGINT UNSIGNED NOT NULL COMMENT 'wallet; the account of the same id owns it',
    balance        BIGINT NOT NULL DEFAULT 0
                   COMMENT 'nano-credits; sum of its ledger amounts; negative = used, not paid',
    held           BIGINT NOT NULL DEFAULT 0
                   COMMENT 'nano-credits promised to running requests; sum of its holds',
    seq            BIGINT UNSIGNED NOT NULL DEFAULT 0
                   COMMENT 'number of its last ledger row; 0 = none yet',
    next_expiry_ms BIGINT NULL
                   COMMENT 'ms since 1970 UTC: earliest expiry of a lot that still holds credit; NULL = none',
    PRIMARY KEY (id),
    CONSTRAINT wallet_held CHECK (held >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='one row a wallet: what a request looks at and locks';

CREATE TABLE IF NOT EXISTS credit_lot (
    wallet_id  BIGINT UNSIGNED NOT NULL COMMENT 'whose credit',
    seq        BIGINT UNSIGNED NOT NULL COMMENT 'seq of the ledger row that granted it',
    kind       ENUM('trial','topup','reward','adjust') NOT NULL COMMENT 'kind of that row',
    granted    BIGINT NOT NULL
               COMMENT 'nano-credits at first: the grant less the debt that it repaid',
    remaining  BIGINT NOT NULL COMMENT 'nano-credits left; all lots together: max(balance, 0)',
    expires_ms BIGINT NULL COMMENT 'ms since 1970 UTC from which it is no longer usable; NULL = never',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    is_open    TINYINT(1) AS (remaining > 0) PERSISTENT
               COMMENT '1 = something is left; for the index, so that used-up lots cost nothing',
    PRIMARY KEY (wallet_id, seq),
    KEY credit_lot_open (wallet_id, is_open),
    CONSTRAINT credit_lot_remaining CHECK (remaining BETWEEN 0 AND granted)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='what is left of each grant; used earliest expiry first, then oldest';

CREATE TABLE IF NOT EXISTS proc (
    owner        BIGINT UNSIGNED NOT NULL COMMENT 'random id of a running process',
    role         VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                 COMMENT 'what it serves, for people',
    host         VARCHAR(64) NOT NULL COMMENT 'name of its machine, for people',
    place        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                 COMMENT 'boot id and process namespace: where pid means the same process',
    pid          INT UNSIGNED NOT NULL COMMENT 'process id there',
    birth        BIGINT UNSIGNED NOT NULL
                 COMMENT 'start of the process in clock ticks since boot: tells a reused pid',
    started_ms   BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    beat         BIGINT UNSIGNED NOT NULL DEFAULT 0
                 COMMENT 'goes up with every sign of life; a sweeper watches it change',
    heartbeat_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC of the last sign of life, for people',
    PRIMARY KEY (owner)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='processes that may own holds; a dead one is swept and removed by any other';

CREATE TABLE IF NOT EXISTS hold (
    request_id BINARY(16) NOT NULL COMMENT 'the running request',
    wallet_id  BIGINT UNSIGNED NOT NULL COMMENT 'whose credit is promised',
    amount     BIGINT NOT NULL COMMENT 'nano-credits; grows with a stream',
    owner      BIGINT UNSIGNED NOT NULL COMMENT 'process that runs it',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (request_id),
    CONSTRAINT hold_amount CHECK (amount >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='credit promised to requests that run; gone when they are settled or swept';

-- Append-only: the responders may read and insert, nothing else. A second writer with a stale
-- seq is refused by the primary key, a second charge of a request by ledger_ref.
CREATE TABLE IF NOT EXISTS ledger (
    wallet_id      BIGINT UNSIGNED NOT NULL COMMENT 'whose credit',
    seq            BIGINT UNSIGNED NOT NULL COMMENT '1, 2, 3 … in each wallet, without a gap',
    kind           ENUM('charge','trial','topup','reward','adjust','clawback','expire') NOT NULL
                   COMMENT 'what happened',
    amount         BIGINT NOT NULL COMMENT 'nano-credits; negative takes, positive gives',
    balance_after  BIGINT NOT NULL COMMENT 'nano-credits: balance before it plus amount',
    ref            BINARY(16) NOT NULL
                   COMMENT 'what it is for: the request of a charge, the payment of a top-up …',
    created_ms     BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    lot_seq        BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'expire: seq of the lot; else 0',
    note           VARCHAR(127) NOT NULL DEFAULT '' COMMENT 'for people; empty in a charge',
    api_key_id     BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'charge: key that was presented',
    model          VARCHAR(127) COLLATE utf8mb4_bin NOT NULL DEFAULT ''
                   COMMENT 'charge: model id the client asked for',
    served_by      VARCHAR(127) COLLATE utf8mb4_bin NOT NULL DEFAULT ''
                   COMMENT 'charge: catalogue model that answered',
    label          VARCHAR(63) NOT NULL DEFAULT '' COMMENT 'charge: customer-facing model label',
    family         VARCHAR(15) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
                   COMMENT 'charge: chat, responses, completions or messages',
    input          BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of input outside any cache',
    cache_read     BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of input read from a cache',
    cache_write_5m BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of input cached with short life',
    cache_write_1h BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of input cached with long life',
    output         BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of output, reasoning included',
    reasoning      BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of output that were reasoning',
    price_version  BIGINT UNSIGNED NOT NULL DEFAULT 0
                   COMMENT 'charge: price row it was computed from; 0 = none',
    flags          INT UNSIGNED NOT NULL DEFAULT 0
                   COMMENT 'charge: bits 1 estimated, 2 client gone, 4 cut, 8 late, 16 premium, 32 stream, 64 no credit, 128 unlimited',
    status         INT NOT NULL DEFAULT 0 COMMENT 'charge: HTTP status the client saw',
    first_ms       INT NOT NULL DEFAULT -1
                   COMMENT 'charge: ms to the first byte of the reply; -1 = none',
    total_ms       INT NOT NULL DEFAULT 0 COMMENT 'charge: ms from request to end of reply',
    PRIMARY KEY (wallet_id, seq),
    UNIQUE KEY ledger_ref (ref, kind),
    KEY ledger_time (wallet_id, created_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='every change of every balance; append-only';
