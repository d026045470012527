-- What `mgctl migrate` has done to this database. Run before every other file, each time.
CREATE TABLE IF NOT EXISTS schema_migration (
    name       VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
               COMMENT 'file name of the migration, e.g. 0001-account.sql',
    sha256     BINARY(32) NOT NULL
               COMMENT 'digest of the file as it was applied; a released file never changes',
    applied_ms BIGINT NOT NULL COMMENT 'ms since 1970 UTC, after its last statement',
    PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  COMMENT='migrations that are done; written by mgctl migrate, read by the service';
