-- The key of each table: what it did not sign is not recorded.

ALTER TABLE dealer_table.streams ADD COLUMN key text NOT NULL DEFAULT '';
COMMENT ON COLUMN dealer_table.streams.key IS
    'the public key that signs this epoch, as it was pinned when it was first heard; empty: none was yet';
COMMENT ON COLUMN dealer_table.messages.body IS
    'the same as JSON, with keyid and signature; a character U+0000 is U+FFFD here';
