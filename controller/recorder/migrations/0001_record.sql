-- The record of a floor: every message of every table, once, in order.

CREATE TABLE dealer_table.messages (
    site text NOT NULL,
    "table" text NOT NULL,
    epoch bigint NOT NULL,
    sequence bigint NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    round text,
    time timestamptz NOT NULL,
    hash text NOT NULL,
    body jsonb NOT NULL,
    raw bytea NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site, "table", epoch, sequence)
);
CREATE INDEX messages_of_round ON dealer_table.messages (site, "table", round) WHERE round IS NOT NULL;
CREATE INDEX messages_of_type ON dealer_table.messages (type, time);
COMMENT ON TABLE dealer_table.messages IS
    'Each message of each table once. The rows lie in one table a month (messages_2026_11), by recorded_at.';
COMMENT ON COLUMN dealer_table.messages.raw IS 'the canonical bytes that the hash is over';
COMMENT ON COLUMN dealer_table.messages.body IS 'the same as JSON; a character U+0000 is U+FFFD here';
COMMENT ON COLUMN dealer_table.messages.time IS 'by the clock of the table';
COMMENT ON COLUMN dealer_table.messages.recorded_at IS 'by the clock of the recorder';

CREATE TABLE dealer_table.streams (
    site text NOT NULL,
    "table" text NOT NULL,
    epoch bigint NOT NULL,
    after bigint NOT NULL,
    sequence bigint NOT NULL,
    hash text NOT NULL,
    head bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site, "table", epoch)
);
COMMENT ON TABLE dealer_table.streams IS
    'Up to where each stream is recorded (sequence), from behind which message on (after), and up to where the table'
    ' is known to have spoken (head)';

CREATE TABLE dealer_table.seen (
    site text NOT NULL,
    "table" text NOT NULL,
    state text NOT NULL,
    boot bigint NOT NULL,
    version text NOT NULL,
    digest text NOT NULL,
    epoch bigint NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (site, "table")
);
COMMENT ON TABLE dealer_table.seen IS 'what each table last said of itself on its topic status';

CREATE TABLE dealer_table.alarms (
    site text NOT NULL,
    "table" text NOT NULL,
    code text NOT NULL,
    message text NOT NULL,
    times bigint NOT NULL DEFAULT 1,
    first_at timestamptz NOT NULL DEFAULT now(),
    last_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site, "table", code)
);
COMMENT ON TABLE dealer_table.alarms IS
    'What the recorder found and a person must look into; whoever has done so deletes the row';
