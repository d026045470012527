-- What each key spent in each month: for its monthly limit and for lists of keys, without a walk
-- over the history. Owner: lib/ledger, which adds to it in the transaction that writes the ledger
-- row of the charge; a key belongs to one wallet, so its rows change under that wallet's lock.
CREATE TABLE IF NOT EXISTS key_month (
    key_id BIGINT UNSIGNED NOT NULL COMMENT 'key; api_key_id of the charges',
    month  INT UNSIGNED NOT NULL COMMENT 'UTC month of the charges, such as 202611',
    spent  BIGINT NOT NULL COMMENT 'nano-credits; sum of the charges, above zero',
    PRIMARY KEY (key_id, month)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='what a key spent in a month';

-- What was spent before there was this table.
INSERT INTO key_month (key_id, month, spent)
    SELECT api_key_id,
           EXTRACT(YEAR_MONTH FROM '1970-01-01' + INTERVAL created_ms DIV 1000 SECOND),
           -SUM(amount)
    FROM ledger WHERE kind = 'charge' AND api_key_id > 0 AND amount < 0 GROUP BY 1, 2
    ON DUPLICATE KEY UPDATE spent = VALUES(spent);
