-- Rights of the responders. `mgctl migrate` fills in {db} and {user} (with its host) and runs
-- this after the migrations, once for every host under which the user is known. The user has
-- no right to change a table's shape, and none to change what only the operator decides.
GRANT SELECT ON {db}.schema_migration TO {user};

-- identity
GRANT SELECT, INSERT, UPDATE ON {db}.account TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.api_key TO {user};
GRANT SELECT, INSERT, DELETE ON {db}.setup_token TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.session TO {user};
GRANT SELECT, INSERT, DELETE ON {db}.ticket TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.throttle TO {user};
GRANT SELECT, INSERT ON {db}.trial TO {user};

-- mail
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.mail TO {user};

-- catalogue: prices and destinations are read, never written
GRANT SELECT ON {db}.catalogue_version TO {user};
GRANT SELECT ON {db}.upstream TO {user};
GRANT SELECT ON {db}.model TO {user};
GRANT SELECT ON {db}.price TO {user};
GRANT SELECT ON {db}.alias TO {user};

-- ledger: the history is append-only
GRANT SELECT, INSERT, UPDATE ON {db}.wallet TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.credit_lot TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.proc TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.hold TO {user};
GRANT SELECT, INSERT ON {db}.ledger TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.key_month TO {user};

-- payment: orders are never deleted, events and disputes only added to
GRANT SELECT, INSERT, UPDATE ON {db}.topup TO {user};
GRANT SELECT, INSERT ON {db}.payment_event TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.topup_dispute TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.sandbox_session TO {user};

-- stored objects: theirs altogether
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.object TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.object_body TO {user};
GRANT SELECT, INSERT, DELETE ON {db}.object_item TO {user};
GRANT SELECT, INSERT, DELETE ON {db}.object_tag TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.chore TO {user};

-- benefits: what was given stays, what runs out is marked
GRANT SELECT, INSERT, UPDATE ON {db}.unlimited TO {user};
GRANT SELECT, INSERT ON {db}.checkin TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.vip TO {user};
GRANT SELECT, INSERT, UPDATE ON {db}.vip_term TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON {db}.alert TO {user};
