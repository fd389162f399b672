// node consumer.mjs --broker mqtt://127.0.0.1:1883 --table north/7 --name settlement \
//                   --bets bets.json --ledger ledger.jsonl
// node consumer.mjs --broker mqtts://broker.example:8883 --user settlement --password-file F \
//                   --ca ca.crt --cert settlement.crt --key settlement.key ...
// node consumer.mjs --report --bets bets.json --ledger ledger.jsonl
//
// --table-key=KEY: the table's public key, as `dealer-table manifest` says it there; without it the first that the
// table names. --accept-epoch: go over to a new journal of the table, with its new key (after `replace`).
//
// A settlement system for one table. Kill it at any moment: it pays each round once, and the right amounts.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Book } from './book.mjs';
import { Ledger } from './ledger.mjs';
import { hashOf, isKey, signedBy, verdict } from './stream.mjs';

const ASK_EVERY_MS = { snapshot: 1_000, resend: 3_000 }; // the table refuses who asks too often
const COMMAND_LIVES_MS = 30_000;

const text = { type: 'string' };
const { values: options } = parseArgs({
  options: {
    broker: { ...text, default: 'mqtt://127.0.0.1:1883' },
    table: { ...text, default: 'north/7' },
    name: { ...text, default: 'settlement' },
    bets: { ...text, default: 'bets.json' },
    ledger: { ...text, default: 'ledger.jsonl' },
    user: text,
    'password-file': text,
    ca: text,
    cert: text,
    key: text,
    'table-key': text,
    'accept-epoch': { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
});

const book = new Book(JSON.parse(readFileSync(options.bets, 'utf8')));
if (options.report && !existsSync(options.ledger)) throw new Error(`${options.ledger} is not there`);
const ledger = new Ledger(options.ledger, (line) => book.post(line));

if (options.report) {
  console.log(JSON.stringify({ place: ledger.place, balances: book.balances() }));
  process.exit(0);
}

const { default: mqtt } = await import('mqtt');
const base = `dealer-table/v1/${options.table}`;
const replies = `${options.name.slice(0, 12)}-${randomUUID().slice(0, 18)}`; // an id has at most 40 characters
const client = mqtt.connect(options.broker, {
  clientId: `${options.name}-of-${options.table.replaceAll('/', '-')}`,
  clean: false, // the broker keeps our subscription while we are away
  keepalive: 15,
  reconnectPeriod: 200,
  queueQoSZero: false,
  username: options.user,
  password: content('password-file')?.toString('utf8').trim(),
  ca: content('ca'),
  cert: content('cert'),
  key: content('key'),
});

/** The contents of the file that an option names. */
function content(option) {
  return options[option] && readFileSync(options[option]);
}

let place = ledger.place;
if (place && options['table-key']) place.key = options['table-key'];
let status = null; // what the table last said of itself
let waiting = [];
const askedAt = { snapshot: 0, resend: 0 };

client.on('connect', () => {
  client.subscribe([`${base}/events`, `${base}/status`, `${base}/replies/${replies}`], { qos: 1 });
  if (place === null) seek();
  else acknowledge(); // a broker that was killed may have forgotten it
});

client.on('message', (topic, payload) => {
  if (topic.endsWith('/events')) {
    if (waiting.push(payload.toString('utf8')) === 1) setImmediate(takeWaiting);
  } else if (topic.endsWith('/status')) {
    status = JSON.parse(payload.toString('utf8'));
    pin();
    seek();
  } else {
    answered(JSON.parse(payload.toString('utf8')));
  }
});

client.on('error', (error) => tell('broker', error.message));

/** Whom we believe: the key that was given, or else the first that the table names in its epoch. */
function pin() {
  if (place === null || place.key || status?.epoch !== place.epoch || !isKey(status.public_key)) return;
  place.key = status.public_key;
  tell('pinned', `only key ${place.key} is believed: is it the one that \`dealer-table manifest\` says there?`);
}

/**
 * Somebody looked into it: go over to a new journal. Its first message after `replace` introduces the new key; only
 * what a key signed that we may believe moves us.
 */
function goOver(message, body) {
  const introduced = message.sequence === 1 ? message.data.public_key : null;
  const named = status?.epoch === message.epoch ? status.public_key : null;
  const keys = options['table-key'] ? [options['table-key']] : [place.key, introduced, named];
  const key = keys.find((one) => isKey(one) && signedBy(one, body));
  if (key) place = { epoch: message.epoch, sequence: 0, hash: '0'.repeat(64), key };
}

/** Commit everything that came in one write, and only then acknowledge. */
function takeWaiting() {
  const bodies = waiting;
  waiting = [];
  if (place === null) {
    seek(); // until we know where we begin nothing is taken: it comes again
    return;
  }
  const lines = [];
  let again = false;
  for (const body of bodies) {
    const message = JSON.parse(body);
    if (options['accept-epoch'] && message.epoch > place.epoch) goOver(message, body);
    const judged = verdict(place, message);
    if (judged !== 'other_epoch' && !signedBy(place.key, body)) {
      tell('not_its_own', `REFUSED: message ${message.sequence} is not signed by key ${place.key}. Where the table`
        + ' has a new one, compare it there (`dealer-table manifest`) and start this with --table-key=KEY');
    } else if (judged === 'next') {
      for (const round of book.forPeople(message)) {
        tell('for_people', `${round}: nobody says how it ended. Nothing more is paid on it: a person decides`);
      }
      place = { ...place, sequence: message.sequence, hash: hashOf(body) };
      const line = { ...place, type: message.type, round: message.subject, postings: book.judge(message) };
      book.post(line);
      lines.push(line);
    } else if (judged === 'repeat') {
      again = true;
    } else if (judged === 'gap') {
      tell('gap', `message ${message.sequence} came, ${place.sequence + 1} is missing`);
      ask('resend', { epoch: place.epoch, sequence: place.sequence + 1 });
    } else {
      // A person decides: it is another journal, or the record was changed. Nothing is paid on it.
      tell(judged, `epoch ${message.epoch}, message ${message.sequence}`);
    }
  }
  if (lines.length > 0) ledger.commit(lines); // an error ends us here: the memory is not ahead of the disk
  if (lines.length > 0 || again) acknowledge();
}

function acknowledge() {
  const { epoch, sequence, hash } = place;
  client.publish(`${base}/acks/${options.name}`, JSON.stringify({ epoch, sequence, hash }), { qos: 1, retain: true });
}

/** A command has an id for its answer and an expiry, and is not sent too often. */
function ask(command, members) {
  const now = Date.now();
  if (now - askedAt[command] < ASK_EVERY_MS[command]) return;
  askedAt[command] = now;
  const expires = new Date(now + COMMAND_LIVES_MS).toISOString();
  client.publish(`${base}/commands/${command}`, JSON.stringify({ id: replies, expires, ...members }), { qos: 1 });
}

/** Where do we begin? With the table's own word; or, once a person has accepted its new journal, at its first message. */
function seek() {
  if (place === null) ask('snapshot', {});
  else if (options['accept-epoch'] && status?.epoch > place.epoch) ask('resend', { epoch: status.epoch, sequence: 1 });
}

function answered(reply) {
  if (!reply.ok) {
    tell('refused', `${reply.error.code}: ${reply.error.message}`);
  } else if (place === null && reply.cursors !== undefined) {
    if (!(options.name in reply.cursors)) {
      tell('refused', `the table does not know ${options.name}: name it under mqtt.consumers`);
      return;
    }
    const key = options['table-key'] ?? null;
    place = { epoch: reply.epoch, sequence: reply.cursors[options.name], hash: null, key };
    pin();
    if (place.sequence < reply.sequence) ask('resend', { epoch: place.epoch, sequence: place.sequence + 1 });
  }
}

/** For whoever watches: one JSON line on standard error. */
function tell(code, message) {
  console.error(JSON.stringify({ at: new Date().toISOString(), code, message }));
}

// If an answer was lost on the way, ask again.
setInterval(() => client.connected && seek(), ASK_EVERY_MS.snapshot);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => client.end(false, {}, () => process.exit(0)));
}
