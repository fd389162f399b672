-- Keys of tables that a person has accepted, where a table must have another one than it had.

CREATE TABLE dealer_table.keys (
    site text NOT NULL,
    "table" text NOT NULL,
    key text NOT NULL,
    accepted_at timestamptz NOT NULL DEFAULT now(),
    accepted_by text NOT NULL DEFAULT session_user,
    PRIMARY KEY (site, "table")
);
COMMENT ON TABLE dealer_table.keys IS
    'What record --accept said: of this table only what this public key signed is recorded from then on';
