/**
 * Writes what is generated from the code and committed: `schema.gql` and `openapi.json`. With `--check` it writes
 * nothing and ends with 1 when a committed file differs. Builds first, so that it never judges by an old build.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const check = process.argv.includes('--check');

// Types are judged elsewhere; the compiler writes its output all the same.
spawnSync(process.execPath, [`${root}node_modules/typescript-native/bin/tsc`, '-p', `${root}tsconfig.build.json`]);

const { renderOpenApi, renderSchema } = await import('../dist/apps/gateway/src/generate.js');
const outputs = { 'schema.gql': await renderSchema(), 'openapi.json': await renderOpenApi() };

let stale = 0;
for (const [file, text] of Object.entries(outputs)) {
  const committed = readIfThere(file);
  if (committed === text) continue;
  if (check) {
    stale += 1;
    console.error(`${file} is not what the code generates. Run: npm run generate\n${firstDifference(committed, text)}`);
  } else {
    writeFileSync(root + file, text);
    console.log(`wrote ${file}`);
  }
}
process.exit(stale > 0 ? 1 : 0);

function readIfThere(file) {
  try {
    return readFileSync(root + file, 'utf8');
  } catch {
    return '';
  }
}

function firstDifference(before, after) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const line = now.findIndex((text, i) => text !== old[i]);
  if (line < 0) return `  it has ${old.length - now.length} lines too many at its end`;
  return `  line ${line + 1}\n  - ${old[line] ?? ''}\n  + ${now[line]}`;
}
