-- What was delivered to other systems.

CREATE TABLE dealer_table.webhooks (
    name text PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE dealer_table.webhooks IS 'Each webhook, and since when it is told';

CREATE TABLE dealer_table.deliveries (
    webhook text NOT NULL REFERENCES dealer_table.webhooks ON DELETE CASCADE,
    site text NOT NULL,
    "table" text NOT NULL,
    epoch bigint NOT NULL,
    sequence bigint NOT NULL,
    PRIMARY KEY (webhook, site, "table")
);
COMMENT ON TABLE dealer_table.deliveries IS 'Up to where each webhook has taken each table';
