sqldir = $(pkgdatadir)/sql
dist_sql_DATA = \
    sql/0000-migration.sql \
    sql/0001-account.sql \
    sql/0002-catalogue.sql \
    sql/0003-ledger.sql \
    sql/0004-session.sql \
    sql/0005-key-options.sql \
    sql/0006-payment.sql \
    sql/0007-benefit.sql \
    sql/0008-object.sql \
    sql/0009-background.sql \
    sql/0010-key-month.sql \
    sql/grants.sql
