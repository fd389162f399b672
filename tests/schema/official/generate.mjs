// node generate.mjs < {"schemas": {name: schema}, "samples": {name: [text]}}: what quicktype makes of each schema.
// TypeScript is compiled, all of it, and what is made of a schema with samples is run on them.
// One JSON object: failed (name -> why), complaints (of the compiler), csharp (name -> text), and refused
// (name -> for each sample why it is, or null).
import { readFileSync } from 'node:fs';
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import ts from 'typescript';

const { schemas, samples } = JSON.parse(readFileSync(0, 'utf8'));
const failed = {};

async function drawn(name, lang) {
  const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
  try {
    await input.addSource({ name: 'Message', schema: JSON.stringify(schemas[name]) });
    const inputData = new InputData();
    inputData.addInput(input);
    return (await quicktype({ inputData, lang })).lines.join('\n');
  } catch (error) {
    failed[name] = String(error.message ?? error);
    return '';
  }
}

async function drawnAll(lang) {
  const all = {};
  for (const name of Object.keys(schemas)) all[name] = await drawn(name, lang);
  return all;
}

/** What the compiler, at its strictest, finds in the modules. */
function compiled(modules) {
  const files = new Map(Object.entries(modules).map(([name, text]) => [`/${name.replaceAll('/', '--')}.ts`, text]));
  const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, types: [] };
  const host = ts.createCompilerHost(options);
  const onDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => (
    files.has(name) ? ts.createSourceFile(name, files.get(name), version) : onDisk(name, version)
  );
  const found = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host));
  return found.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

/** The module at work: why it refuses each of the texts, null where it takes it. */
async function refusals(text, given) {
  const { outputText } = ts.transpileModule(text, { compilerOptions: { target: 'ES2022', module: 'ES2022' } });
  const { Convert } = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
  return given.map((sample) => {
    try {
      Convert.toMessage(sample);
      return null;
    } catch (error) {
      return String(error.message);
    }
  });
}

const typescript = await drawnAll('typescript');
const csharp = await drawnAll('csharp');
const refused = {};
for (const [name, given] of Object.entries(samples)) refused[name] = await refusals(typescript[name], given);
console.log(JSON.stringify({ failed, complaints: compiled(typescript), csharp, refused }));
