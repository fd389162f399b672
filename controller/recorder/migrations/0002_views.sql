-- What people ask. A view that is asked for one round, or for a span of opened_at, time or held_at, is quick.

CREATE VIEW dealer_table.tables AS
SELECT
    coalesce(s.site, n.site) AS site,
    coalesce(s."table", n."table") AS "table",
    s.epoch,
    s.sequence AS place,
    greatest(s.head, s.sequence) AS head,
    greatest(s.head - s.sequence, 0) AS missing,
    s.hash,
    l.time AS last_time,
    n.state,
    n.version,
    n.digest,
    n.boot,
    n.seen_at,
    (SELECT array_agg(a.code ORDER BY a.code) FROM dealer_table.alarms a
     WHERE a.site = coalesce(s.site, n.site) AND a."table" = coalesce(s."table", n."table")) AS alarms
FROM (SELECT DISTINCT ON (site, "table") * FROM dealer_table.streams ORDER BY site, "table", epoch DESC) s
FULL JOIN dealer_table.seen n ON n.site = s.site AND n."table" = s."table"
LEFT JOIN LATERAL (
    SELECT m.time FROM dealer_table.messages m
    WHERE m.site = s.site AND m."table" = s."table" AND m.epoch = s.epoch AND m.sequence = s.sequence
) l ON true;
COMMENT ON VIEW dealer_table.tables IS
    'One row a table: recorded up to place, the table has spoken up to head; place is null where the table does not'
    ' name the recorder';

CREATE VIEW dealer_table.gaps AS
SELECT site, "table", epoch, first, last, last - first + 1 AS missing
FROM (
    SELECT m.site, m."table", m.epoch,
        lag(m.sequence, 1, s.after) OVER (PARTITION BY m.site, m."table", m.epoch ORDER BY m.sequence) + 1 AS first,
        m.sequence - 1 AS last
    FROM dealer_table.messages m
    JOIN dealer_table.streams s USING (site, "table", epoch)
    UNION ALL
    SELECT s.site, s."table", s.epoch, coalesce(l.sequence, s.after) + 1, greatest(s.head, s.sequence)
    FROM dealer_table.streams s
    LEFT JOIN LATERAL (
        SELECT max(m.sequence) AS sequence FROM dealer_table.messages m
        WHERE m.site = s.site AND m."table" = s."table" AND m.epoch = s.epoch
    ) l ON true
) missing
WHERE first <= last;
COMMENT ON VIEW dealer_table.gaps IS
    'Every message that is known to exist and is not here; reads the whole index. tables.missing is the quick figure';

CREATE VIEW dealer_table.voids AS
SELECT site, "table", epoch, sequence, id, round, time,
    body #>> '{data,reason}' AS reason,
    body #>> '{data,rule}' AS rule,
    body #> '{data,evidence}' AS evidence,
    body #>> '{data,retracts}' AS retracts,
    body #>> '{data,shoe}' AS shoe,
    body #>> '{data,by}' AS by,
    body #>> '{data,note}' AS note
FROM dealer_table.messages
WHERE type = 'dealertable.round.void.v1';

CREATE VIEW dealer_table.results AS
SELECT r.site, r."table", r.epoch, r.sequence, r.id, r.round, r.time,
    r.body #>> '{data,game}' AS game,
    (r.body #>> '{data,revision}')::bigint AS revision,
    r.body #> '{data,outcome}' AS outcome,
    r.body #> '{data,hands}' AS hands,
    r.body #> '{data,bets}' AS bets,
    r.body #> '{data,pay_table}' AS pay_table,
    r.body #>> '{data,rules}' AS rules
FROM dealer_table.messages r
WHERE r.type = 'dealertable.round.result.v1'
    AND NOT EXISTS (
        SELECT FROM dealer_table.messages v
        WHERE v.site = r.site AND v."table" = r."table" AND v.round = r.round
            AND v.type = 'dealertable.round.void.v1')
    AND NOT EXISTS (
        SELECT FROM dealer_table.messages n
        WHERE n.site = r.site AND n."table" = r."table" AND n.round = r.round
            AND n.type = 'dealertable.round.result.v1' AND n.body #>> '{data,replaces}' = r.id);
COMMENT ON VIEW dealer_table.results IS
    'The result of each round that stands: one that was replaced or taken back is none';

CREATE VIEW dealer_table.rounds AS
SELECT o.site, o."table", o.round, o.epoch,
    o.body #>> '{data,game}' AS game,
    o.body #>> '{data,game_number}' AS game_number,
    o.body #>> '{data,dealer}' AS dealer,
    o.body #>> '{data,gaming_day}' AS gaming_day,
    (o.body #>> '{data,shoe}')::bigint AS shoe,
    CASE WHEN v.id IS NOT NULL THEN 'void' WHEN f.time IS NOT NULL THEN 'final'
        WHEN p.time IS NOT NULL THEN 'settled' WHEN r.id IS NOT NULL THEN 'result' ELSE 'running' END AS state,
    o.time AS opened_at, p.time AS settled_at, f.time AS final_at,
    r.id AS result, r.revision, r.outcome,
    v.id AS void, v.reason AS void_reason, v.by AS void_by, v.time AS void_at
FROM dealer_table.messages o
LEFT JOIN LATERAL (
    SELECT * FROM dealer_table.results r WHERE r.site = o.site AND r."table" = o."table" AND r.round = o.round
    ORDER BY r.epoch DESC, r.sequence DESC LIMIT 1
) r ON true
LEFT JOIN LATERAL (
    SELECT * FROM dealer_table.voids v WHERE v.site = o.site AND v."table" = o."table" AND v.round = o.round
    ORDER BY v.epoch, v.sequence LIMIT 1
) v ON true
LEFT JOIN LATERAL (
    SELECT max(p.time) AS time FROM dealer_table.messages p
    WHERE p.site = o.site AND p."table" = o."table" AND p.round = o.round
        AND p.type = 'dealertable.round.settled.v1'
) p ON true
LEFT JOIN LATERAL (
    SELECT max(f.time) AS time FROM dealer_table.messages f
    WHERE f.site = o.site AND f."table" = o."table" AND f.round = o.round
        AND f.type = 'dealertable.round.final.v1'
) f ON true
WHERE o.type = 'dealertable.round.opened.v1';

CREATE VIEW dealer_table.holds AS
SELECT h.site, h."table", h.epoch, (h.body #>> '{data,hold}')::bigint AS hold, h.id, h.round,
    h.body #>> '{data,reason}' AS reason,
    coalesce(a.evidence, h.body #> '{data,evidence}') AS evidence,
    h.body #> '{data,choices}' AS choices,
    h.time AS held_at,
    e.time AS resumed_at,
    extract(epoch FROM e.time - h.time) AS waited_s,
    e.choice, e.by, e.note,
    e.time IS NULL AND h.epoch = (
        SELECT max(s.epoch) FROM dealer_table.streams s WHERE s.site = h.site AND s."table" = h."table") AS open
FROM dealer_table.messages h
LEFT JOIN LATERAL (
    SELECT m.sequence, m.time, m.body #>> '{data,choice}' AS choice, m.body #>> '{data,by}' AS by,
        m.body #>> '{data,note}' AS note
    FROM dealer_table.messages m
    WHERE m.site = h.site AND m."table" = h."table" AND m.epoch = h.epoch AND m.sequence > h.sequence
        AND m.type = 'dealertable.table.resumed.v1'
        AND m.body #> '{data,hold}' IS NOT DISTINCT FROM h.body #> '{data,hold}'
    ORDER BY m.sequence LIMIT 1
) e ON true
LEFT JOIN LATERAL (
    SELECT m.body #> '{data,evidence}' AS evidence
    FROM dealer_table.messages m
    WHERE m.site = h.site AND m."table" = h."table" AND m.epoch = h.epoch AND m.sequence > h.sequence
        AND m.sequence < coalesce(e.sequence, 9223372036854775807) AND m.type = 'dealertable.table.held.v1'
        AND m.body #> '{data,hold}' IS NOT DISTINCT FROM h.body #> '{data,hold}'
    ORDER BY m.sequence DESC LIMIT 1
) a ON true
WHERE h.type = 'dealertable.table.held.v1' AND h.body #> '{data,again}' IS DISTINCT FROM 'true';
COMMENT ON VIEW dealer_table.holds IS 'Each wait for a supervisor once, with the evidence as it was when it ended';

CREATE VIEW dealer_table.alerts AS
SELECT r.site, r."table", r.epoch, r.body #>> '{data,id}' AS alert,
    r.body #>> '{data,code}' AS code,
    r.body #>> '{data,message}' AS message,
    r.time AS raised_at,
    c.time AS cleared_at,
    c.by,
    c.time IS NULL AND r.epoch = (
        SELECT max(s.epoch) FROM dealer_table.streams s WHERE s.site = r.site AND s."table" = r."table") AS open
FROM dealer_table.messages r
LEFT JOIN LATERAL (
    SELECT m.time, m.body #>> '{data,by}' AS by
    FROM dealer_table.messages m
    WHERE m.site = r.site AND m."table" = r."table" AND m.epoch = r.epoch AND m.sequence > r.sequence
        AND m.type = 'dealertable.alert.cleared.v1' AND m.body #> '{data,id}' = r.body #> '{data,id}'
    ORDER BY m.sequence LIMIT 1
) c ON true
WHERE r.type = 'dealertable.alert.raised.v1';

CREATE VIEW dealer_table.shoes AS
SELECT s.site, s."table", s.epoch, (s.body #>> '{data,shoe}')::bigint AS shoe,
    s.body #>> '{data,set}' AS set,
    (s.body #>> '{data,decks}')::bigint AS decks,
    (s.body #>> '{data,cards}')::bigint AS cards,
    (s.body #>> '{data,expected}')::bigint AS expected,
    (s.body #>> '{data,shuffled}')::boolean AS shuffled,
    s.time AS started_at,
    e.time AS ended_at, e.reason, e.drawn, e.left_over,
    (SELECT count(*) FROM dealer_table.messages b
     WHERE b.site = s.site AND b."table" = s."table" AND b.epoch = s.epoch
        AND b.type = 'dealertable.shoe.burned.v1' AND b.time BETWEEN s.time AND coalesce(e.time, 'infinity')
        AND b.body #> '{data,shoe}' = s.body #> '{data,shoe}') AS burned
FROM dealer_table.messages s
LEFT JOIN LATERAL (
    SELECT m.time, m.body #>> '{data,reason}' AS reason, (m.body #>> '{data,drawn}')::bigint AS drawn,
        (m.body #>> '{data,left}')::bigint AS left_over
    FROM dealer_table.messages m
    WHERE m.site = s.site AND m."table" = s."table" AND m.epoch = s.epoch AND m.sequence > s.sequence
        AND m.type = 'dealertable.shoe.ended.v1' AND m.body #> '{data,shoe}' = s.body #> '{data,shoe}'
    ORDER BY m.sequence LIMIT 1
) e ON true
WHERE s.type = 'dealertable.shoe.started.v1';

CREATE VIEW dealer_table.hands_per_hour AS
SELECT s.site, s."table", date_trunc('hour', s.time, 'UTC') AS hour,
    o.body #>> '{data,dealer}' AS dealer,
    o.body #>> '{data,gaming_day}' AS gaming_day,
    o.body #>> '{data,game}' AS game,
    count(*) AS hands
FROM dealer_table.messages s
LEFT JOIN LATERAL (
    SELECT o.body FROM dealer_table.messages o
    WHERE o.site = s.site AND o."table" = s."table" AND o.round = s.round
        AND o.type = 'dealertable.round.opened.v1'
    ORDER BY o.epoch, o.sequence LIMIT 1
) o ON true
WHERE s.type = 'dealertable.round.settled.v1'
    AND NOT EXISTS (
        SELECT FROM dealer_table.messages v
        WHERE v.site = s.site AND v."table" = s."table" AND v.round = s.round
            AND v.type = 'dealertable.round.void.v1')
    AND NOT EXISTS (
        SELECT FROM dealer_table.messages b
        WHERE b.site = s.site AND b."table" = s."table" AND b.round = s.round
            AND b.type = 'dealertable.round.settled.v1' AND (b.epoch, b.sequence) < (s.epoch, s.sequence))
GROUP BY 1, 2, 3, 4, 5, 6;
COMMENT ON VIEW dealer_table.hands_per_hour IS 'Settled rounds that stand, each once, by the hour (UTC) and the dealer';
