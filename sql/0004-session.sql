-- Sign-in: passwords, sessions, tickets of mails, limits (owner: lib/identity), and the mail queue
-- (owner: lib/mail). Nothing here opens a door by itself: of every secret only a hash is kept, and
-- the text of a mail with a link in it is sealed under the master key.
ALTER TABLE account
    MODIFY email VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NULL
        COMMENT 'address that its owner has confirmed, or the operator has set; NULL = none; case does not count',
    ADD COLUMN IF NOT EXISTS password VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NULL
        COMMENT 'scrypt: $s1$ parameters $ salt $ hash; NULL = nobody can sign in',
    ADD COLUMN IF NOT EXISTS email_verified_ms BIGINT NULL
        COMMENT 'ms since 1970 UTC when email was confirmed; NULL = not yet',
    ADD COLUMN IF NOT EXISTS pending_email
        VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NULL
        COMMENT 'address that was stated and waits to be confirmed, not exclusive; NULL = none',
    ADD INDEX IF NOT EXISTS account_pending_email (pending_email, id);

CREATE TABLE IF NOT EXISTS session (
    id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'session, in lists and links',
    account_id BIGINT UNSIGNED NOT NULL COMMENT 'who is signed in',
    hash       BINARY(32) NOT NULL
               COMMENT 'SHA-256 of the token (256 random bits, so no slow hash): look-up',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    seen_ms    BIGINT NOT NULL
               COMMENT 'ms since 1970 UTC of the last request, at most a minute behind',
    expires_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC at which it ends whatever happens',
    user_agent VARCHAR(255) NOT NULL DEFAULT '' COMMENT 'program that signed in, as it says itself',
    address    VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
               COMMENT 'where the sign-in came from',
    PRIMARY KEY (id),
    UNIQUE KEY session_hash (hash),
    KEY session_account (account_id, id),
    KEY session_expiry (expires_ms),
    CONSTRAINT session_owner FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='dashboard sessions; a row that is gone is signed out';

CREATE TABLE IF NOT EXISTS ticket (
    hash       BINARY(32) NOT NULL COMMENT 'SHA-256 of the token in the mail (256 random bits)',
    account_id BIGINT UNSIGNED NOT NULL COMMENT 'for whom',
    kind       ENUM('verify','reset') NOT NULL
               COMMENT 'verify = confirm the address; reset = choose another password',
    email      VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL
               COMMENT 'address it was sent to: who shows it reads mail there',
    expires_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC from which it is not valid any more',
    PRIMARY KEY (hash),
    KEY ticket_account (account_id, kind),
    KEY ticket_expiry (expires_ms),
    CONSTRAINT ticket_owner FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='links in mails; a row goes when it is used';

CREATE TABLE IF NOT EXISTS throttle (
    bucket   BINARY(16) NOT NULL COMMENT 'hash of what is counted and for whom',
    full_ms  BIGINT NOT NULL
             COMMENT 'ms since 1970 UTC at which everything taken has come back; then the row may go',
    PRIMARY KEY (bucket),
    KEY throttle_full (full_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='how much of a limit is used, for all processes and hosts';

CREATE TABLE IF NOT EXISTS trial (
    address    BINARY(32) NOT NULL
               COMMENT 'keyed hash of the mail address in lower case: one trial an address',
    account_id BIGINT UNSIGNED NOT NULL COMMENT 'who got it: one trial an account',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (address),
    UNIQUE KEY trial_account (account_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='trials that were given; never deleted';

CREATE TABLE IF NOT EXISTS mail (
    id         BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'mail',
    account_id BIGINT UNSIGNED NOT NULL COMMENT 'whom it concerns; 0 = nobody',
    ref        BINARY(16) NULL COMMENT 'what it is about: posted once; NULL = always',
    recipient  VARCHAR(254) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'address',
    subject    VARCHAR(255) NOT NULL COMMENT 'one line',
    body       MEDIUMBLOB NOT NULL
               COMMENT 'text in UTF-8, or sealed (AES-256-GCM under the master key); empty once sent',
    sealed     TINYINT(1) NOT NULL COMMENT '1 = body is sealed, because it holds a link that opens',
    state      ENUM('queued','sent','failed') NOT NULL DEFAULT 'queued' COMMENT 'where it is',
    attempts   INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'how often it was tried',
    next_ms    BIGINT NOT NULL
               COMMENT 'queued: ms since 1970 UTC of the next attempt; while one runs, when it counts as lost',
    created_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    done_ms    BIGINT NULL COMMENT 'ms since 1970 UTC when it was sent or given up; NULL = queued',
    error      VARCHAR(255) NOT NULL DEFAULT '' COMMENT 'why the last attempt failed, for people',
    PRIMARY KEY (id),
    UNIQUE KEY mail_ref (ref),
    KEY mail_due (state, next_ms),
    KEY mail_account (account_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='mails to send; the worker of mg-auth takes them with a lease, so none is lost or forgotten';
