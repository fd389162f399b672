// node validate.mjs < asyncapi.json: what the official parser makes of a document, as one JSON object.
import { readFileSync } from 'node:fs';
import { Parser } from '@asyncapi/parser';

const { document, diagnostics } = await new Parser().parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({
  version: document?.version() ?? null,
  channels: document?.channels().all().length ?? 0,
  operations: document?.operations().all().length ?? 0,
  messages: document?.messages().all().length ?? 0,
  diagnostics: diagnostics.map(({ severity, code, message, path }) => ({ severity, code, message, path })),
}));
