-- Accounts and their keys. Owner: lib/identity.
CREATE TABLE IF NOT EXISTS account (
    id            BIGINT UNSIGNED NOT NULL AUTO_INCREMENT
                  COMMENT 'account; the wallet of the account has the same id',
    username      VARCHAR(63) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL
                  COMMENT 'sign-in name; begins with a letter, holds no @, case does not count',
    email         VARCHAR(254) CHARACTER SET ascii COLLATE ascii_general_ci NULL
                  COMMENT 'address for sign-in and mail; NULL = none; case does not count',
    state         ENUM('active','suspended') NOT NULL DEFAULT 'active'
                  COMMENT 'set by the operator; suspended = coding requests get 429',
    default_model VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
                  COMMENT 'model of requests that name none; empty = the managed alias',
    created_ms    BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    PRIMARY KEY (id),
    UNIQUE KEY account_username (username),
    UNIQUE KEY account_email (email)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='customers';

CREATE TABLE IF NOT EXISTS api_key (
    id           BIGINT UNSIGNED NOT NULL AUTO_INCREMENT
                 COMMENT 'key; stands in every ledger row that the key caused',
    account_id   BIGINT UNSIGNED NOT NULL COMMENT 'whose wallet it spends',
    kind         ENUM('system','user') NOT NULL
                 COMMENT 'system = the permanent key of the account; user = made by the customer',
    version      INT UNSIGNED NOT NULL DEFAULT 1
                 COMMENT 'system: 1, then one more a rotation; bound into sealed',
    name         VARCHAR(63) NOT NULL COMMENT 'what the customer calls it',
    hash         BINARY(32) NOT NULL
                 COMMENT 'SHA-256 of the secret (256 random bits, so no slow hash): look-up',
    last4        CHAR(4) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
                 COMMENT 'last four characters of the secret, for lists',
    sealed       VARBINARY(255) NULL
                 COMMENT 'system and active: the secret, AES-256-GCM under the master key',
    created_ms   BIGINT NOT NULL COMMENT 'ms since 1970 UTC',
    revoked_ms   BIGINT NULL COMMENT 'ms since 1970 UTC; NULL = active',
    expires_ms   BIGINT NULL COMMENT 'ms since 1970 UTC; NULL = never',
    last_used_ms BIGINT NULL COMMENT 'ms since 1970 UTC, at most five minutes behind; NULL = never',
    system_of    BIGINT UNSIGNED AS (IF(kind = 'system' AND revoked_ms IS NULL, account_id, NULL))
                 PERSISTENT COMMENT 'its unique key allows one active System Key an account',
    PRIMARY KEY (id),
    UNIQUE KEY api_key_hash (hash),
    UNIQUE KEY api_key_system (system_of),
    KEY api_key_account (account_id, id),
    CONSTRAINT api_key_owner FOREIGN KEY (account_id) REFERENCES account (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='credentials of model and account requests';
