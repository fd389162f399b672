// node display.mjs --broker mqtt://127.0.0.1:1883 --table north/7
// node display.mjs --broker mqtts://broker.example:8883 --user display --password-file F \
//                  --ca ca.crt --cert display.crt --key display.key --table north/7
//
// What a sign above a table shows: one line each time something changes. It stores nothing, acknowledges
// nothing and may be started or killed at any time: the table retains its newest state at the broker.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import mqtt from 'mqtt';

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: {
    broker: { ...text, default: 'mqtt://127.0.0.1:1883' },
    table: { ...text, default: 'north/7' },
    user: text,
    'password-file': text,
    ca: text,
    cert: text,
    key: text,
  },
});
const content = (option) => options[option] && readFileSync(options[option]);

const base = `dealer-table/v1/${options.table}`;
const client = mqtt.connect(options.broker, {
  clean: true,
  reconnectPeriod: 500,
  username: options.user,
  password: content('password-file')?.toString('utf8').trim(),
  ca: content('ca'),
  cert: content('cert'),
  key: content('key'),
});
let display = null;
let state = 'unknown';
let shown = '';

client.on('connect', () => client.subscribe([`${base}/status`, `${base}/display`], { qos: 1 }));
client.on('close', () => { state = 'unknown'; show(); });
client.on('message', (topic, payload) => {
  const value = payload.length === 0 ? null : JSON.parse(payload.toString('utf8'));
  if (topic.endsWith('/status')) state = value?.state ?? 'unknown';
  else display = value;
  show();
});

function show() {
  const line = words();
  if (line !== shown) console.log(line);
  shown = line;
}

/** If the table is not online there is nothing to show: an old card on a sign is worse than none. */
function words() {
  if (state !== 'online' || display === null) return 'TABLE CLOSED';
  const parts = [display.phase.toUpperCase()];
  if (display.game_number) parts.push(`game ${display.game_number}`);
  const hands = new Map();
  for (const { position, card } of display.cards ?? []) {
    // A card that lies face down has no name, here as everywhere.
    hands.set(position, [...(hands.get(position) ?? []), card ?? '??']);
  }
  for (const [position, cards] of hands) parts.push(`${position} ${cards.join(' ')}`);
  if (display.result?.outcome?.winner) parts.push(`winner ${display.result.outcome.winner}`);
  if (display.void) parts.push('VOID, all bets are returned');
  if (display.hold) parts.push('PLEASE WAIT');
  if (display.last_round) parts.push('last round of this shoe');
  return parts.join(' | ');
}

show();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => client.end(true, {}, () => process.exit(0)));
