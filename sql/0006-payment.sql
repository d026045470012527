-- Top-ups: what was ordered, what a payment provider said about it. Owner: lib/payment.
-- The credit itself is a ledger row (kind topup) whose ref is the order's id. Everything that
-- changes an order happens in a transaction that locks its row first and then the wallet.
CREATE TABLE IF NOT EXISTS topup (
    id             BINARY(16) NOT NULL COMMENT 'random: the order; ref of its ledger row',
    wallet_id      BIGINT UNSIGNED NOT NULL COMMENT 'who ordered and gets the credit',
    provider       VARCHAR(31) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'who takes the payment: stripe, sandbox',
    client_key     BINARY(32) NULL
                   COMMENT 'SHA-256 of the Idempotency-Key of the request; NULL = none sent',
    cents          BIGINT NOT NULL COMMENT 'hundredths of the currency to be paid',
    currency       CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'ISO 4217 in lower case',
    rate           INT UNSIGNED NOT NULL
                   COMMENT 'credits for one unit of the currency, fixed when it was ordered',
    state          ENUM('pending','paid','failed','expired') NOT NULL DEFAULT 'pending'
                   COMMENT 'paid is final and means that the credit was given',
    session_id     VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL
                   COMMENT 'the provider''s checkout session; NULL = not made yet',
    payment_id     VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL
                   COMMENT 'the provider''s payment; NULL = not known yet',
    url            VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
                   COMMENT 'where the customer pays; empty = not made yet',
    receipt_url    VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
                   COMMENT 'the provider''s receipt; empty = none',
    created_ms     BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    expires_ms     BIGINT NOT NULL COMMENT 'ms since 1970 UTC until which it can be paid',
    paid_ms        BIGINT NULL COMMENT 'ms since 1970 UTC when the credit was given; NULL = not',
    checked_ms     BIGINT NOT NULL DEFAULT 0
                   COMMENT 'ms since 1970 UTC when the provider was last asked',
    refunded_cents BIGINT NOT NULL DEFAULT 0
                   COMMENT 'the most that the provider ever said was refunded',
    clawed         BIGINT NOT NULL DEFAULT 0
                   COMMENT 'nano-credits taken back for refunds and disputes, less what was given again',
    claws          INT UNSIGNED NOT NULL DEFAULT 0
                   COMMENT 'how many ledger rows made up clawed; numbers their refs',
    problem        VARCHAR(127) NOT NULL DEFAULT ''
                   COMMENT 'what the operator must look at; empty = nothing',
    PRIMARY KEY (id),
    UNIQUE KEY topup_session (provider, session_id),
    UNIQUE KEY topup_client_key (wallet_id, client_key),
    KEY topup_payment (provider, payment_id),
    KEY topup_wallet (wallet_id, created_ms),
    KEY topup_time (created_ms),
    CONSTRAINT topup_refunded CHECK (refunded_cents >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='orders of credit; never deleted';

CREATE TABLE IF NOT EXISTS payment_event (
    provider    VARCHAR(31) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who sent it',
    event_id    VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                COMMENT 'the provider''s id of the event',
    type        VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                COMMENT 'the provider''s name for what happened',
    topup_id    BINARY(16) NULL COMMENT 'the order it is about; NULL = none of ours',
    received_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (provider, event_id),
    KEY payment_event_topup (topup_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='events whose effect is committed: written in the same transaction';

CREATE TABLE IF NOT EXISTS topup_dispute (
    provider   VARCHAR(31) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who reported it',
    dispute_id VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'the provider''s id of the dispute',
    topup_id   BINARY(16) NOT NULL COMMENT 'the order in dispute',
    cents      BIGINT NOT NULL COMMENT 'hundredths of the order''s currency in dispute',
    state      ENUM('inquiry','open','lost','won') NOT NULL
               COMMENT 'only ever goes to the right; open and lost take credit back',
    opened_ms  BIGINT NOT NULL COMMENT 'ms since 1970 UTC when it was first heard of',
    PRIMARY KEY (provider, dispute_id),
    KEY topup_dispute_topup (topup_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='payments that a customer''s bank contests';

CREATE TABLE IF NOT EXISTS sandbox_session (
    id             VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'random: names its page',
    topup_id       BINARY(16) NOT NULL COMMENT 'the order it is for',
    cents          BIGINT NOT NULL COMMENT 'hundredths of the currency',
    currency       CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ISO 4217, lower case',
    success_url    VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'where a buyer goes who paid',
    cancel_url     VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                   COMMENT 'where a buyer goes who did not',
    status         ENUM('open','paid','failed','expired') NOT NULL DEFAULT 'open'
                   COMMENT 'what the pretended provider knows',
    refunded_cents BIGINT NOT NULL DEFAULT 0 COMMENT 'hundredths of the currency paid back',
    events         INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how many events it sent; numbers them',
    created_ms     BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (id),
    UNIQUE KEY sandbox_session_topup (topup_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='the pretended provider''s own memory: development only';
