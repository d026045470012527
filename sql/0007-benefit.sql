-- Unlimited windows, daily check-in, VIP, low-balance alerts. Owner: lib/ledger.
-- Everything here that belongs to a wallet is changed only under the lock of its wallet row.
ALTER TABLE wallet
    ADD COLUMN IF NOT EXISTS benefits INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'Unlimited benefits that wait or run; 0 = a request need not look for any',
    ADD COLUMN IF NOT EXISTS connections INT UNSIGNED NOT NULL DEFAULT 0
        COMMENT 'running requests that a window covers: its holds with unlimited = 1',
    ADD COLUMN IF NOT EXISTS access ENUM('none','credit','window') NOT NULL DEFAULT 'none'
        COMMENT 'what the last request was paid with; tells why the next one is refused',
    ADD COLUMN IF NOT EXISTS alert_below BIGINT NULL
        COMMENT 'nano-credits: a balance under it crosses the next alert; NULL = none',
    ADD COLUMN IF NOT EXISTS alert_above BIGINT NULL
        COMMENT 'nano-credits: a balance from here on arms an alert again; NULL = none';

ALTER TABLE hold
    ADD COLUMN IF NOT EXISTS unlimited TINYINT(1) NOT NULL DEFAULT 0
        COMMENT '1 = a window covers the request: amount is 0, it is a connection of its wallet';

CREATE TABLE IF NOT EXISTS unlimited (
    wallet_id  BIGINT UNSIGNED NOT NULL COMMENT 'whose benefit',
    seq        INT UNSIGNED NOT NULL COMMENT '1, 2, 3 … in each wallet: the order of use',
    source     ENUM('trial','checkin','operator') NOT NULL COMMENT 'where it came from',
    ref        BINARY(16) NOT NULL COMMENT 'what it was given for; once only',
    duration_s INT UNSIGNED NOT NULL COMMENT 'seconds that it lasts once it has begun',
    given_ms   BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    started_ms BIGINT NULL
               COMMENT 'ms since 1970 UTC of the first billable request; NULL = not started',
    expires_ms BIGINT NULL COMMENT 'ms since 1970 UTC: started_ms plus the duration',
    is_over    TINYINT(1) NOT NULL DEFAULT 0
               COMMENT '1 = found expired by a request; no longer counted in wallet.benefits',
    PRIMARY KEY (wallet_id, seq),
    UNIQUE KEY unlimited_ref (ref),
    KEY unlimited_open (wallet_id, is_over, seq)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='Unlimited benefits: while one runs, requests cost nothing';

CREATE TABLE IF NOT EXISTS checkin (
    wallet_id  BIGINT UNSIGNED NOT NULL COMMENT 'who checked in',
    day        INT UNSIGNED NOT NULL COMMENT 'days since 1970-01-01 UTC; one check-in a day',
    path       INT UNSIGNED NOT NULL COMMENT '1, 2, 3 …: which path this day belongs to',
    step       TINYINT UNSIGNED NOT NULL COMMENT 'day of the path, 1 to 15',
    streak     INT UNSIGNED NOT NULL COMMENT 'days in a row with it, over finished paths',
    reward     BIGINT NOT NULL COMMENT 'nano-credits given for it',
    benefit_s  INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'seconds of Unlimited given for it',
    pass       TINYINT(1) NOT NULL DEFAULT 0
               COMMENT '1 = missed, and made good by the Free Pass with the next check-in',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (wallet_id, day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='daily check-ins and what they were worth';

CREATE TABLE IF NOT EXISTS vip (
    wallet_id BIGINT UNSIGNED NOT NULL COMMENT 'whose access',
    until_ms  BIGINT NOT NULL DEFAULT 0
              COMMENT 'ms since 1970 UTC; what its terms add up to; 0 = none',
    PRIMARY KEY (wallet_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='access to the VIP endpoint';

CREATE TABLE IF NOT EXISTS vip_term (
    ref        BINARY(16) NOT NULL COMMENT 'the order that it came with, or a random id',
    wallet_id  BIGINT UNSIGNED NOT NULL COMMENT 'whose access',
    source     ENUM('topup','operator') NOT NULL COMMENT 'where it came from',
    cents      BIGINT NOT NULL DEFAULT 0 COMMENT 'topup: what was paid, in cents',
    length_ms  BIGINT NOT NULL COMMENT 'ms of access that it adds',
    given_ms   BIGINT NOT NULL COMMENT 'ms since 1970 UTC; terms follow each other in this order',
    revoked_ms BIGINT NULL
               COMMENT 'ms since 1970 UTC when it was taken back; NULL = it counts',
    revoked_by ENUM('refund','operator') NULL
               COMMENT 'why; a refund that was undone gives the term back, an operator does not',
    PRIMARY KEY (ref),
    KEY vip_term_wallet (wallet_id, given_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='what VIP access is made of';

CREATE TABLE IF NOT EXISTS alert (
    wallet_id BIGINT UNSIGNED NOT NULL COMMENT 'whose balance is watched',
    threshold BIGINT NOT NULL COMMENT 'nano-credits; chosen by the customer',
    armed     TINYINT(1) NOT NULL COMMENT '1 = the balance has been at it or above since the last alert',
    PRIMARY KEY (wallet_id, threshold)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='balances below which a customer wants a mail';
