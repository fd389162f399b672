// node strict.mjs < schemas.json: which schemas ajv refuses in its strict mode, as one JSON object: name -> why.
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const refused = {};
for (const [name, schema] of Object.entries(JSON.parse(readFileSync(0, 'utf8')))) {
  const ajv = new Ajv2020.default({ strict: true, allErrors: true, discriminator: true });
  addFormats.default(ajv);
  try { ajv.compile(schema); } catch (error) { refused[name] = error.message; }
}
console.log(JSON.stringify(refused));
