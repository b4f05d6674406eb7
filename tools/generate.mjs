/**
 * Generates `schema.gql`, `openapi.json` with its schemas of webhooks, `asyncapi.yaml` and `docs/graphql-operations.md` from the code, and from the schema
 * the operations and constants of the dashboard; all are committed. With `--check` it writes nothing and exits with 1 if a committed file
 * differs or `asyncapi.yaml` is not valid. Compiles first, so that the result never comes from an old build.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asyncApiProblems, renderAsyncApi } from './asyncapi.mjs';
import { renderDashboardOperations } from './dashboard-operations.mjs';
import { renderWebhookBodies } from './event-schemas.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const check = process.argv.includes('--check');

// Before compiling, because `openapi.json` contains them.
const WEBHOOK_BODIES = 'apps/gateway/src/openapi/webhook-bodies.json';
const webhookBodies = renderWebhookBodies();
const staleBodies = readIfThere(WEBHOOK_BODIES) !== webhookBodies;
if (staleBodies && !check) writeFileSync(root + WEBHOOK_BODIES, webhookBodies);

// The exit code does not matter: types are checked elsewhere, and the compiler writes its output in any case.
spawnSync(process.execPath, [`${root}node_modules/typescript-native/bin/tsc`, '-p', `${root}tsconfig.build.json`]);

const { renderDashboardConstants, renderGraphqlOperations, renderOpenApi, renderSchema } =
  await import('../dist/apps/gateway/src/generate.js');
const schema = await renderSchema();
const outputs = {
  'schema.gql': schema,
  'openapi.json': await renderOpenApi(),
  'asyncapi.yaml': renderAsyncApi(),
  'docs/graphql-operations.md': await renderGraphqlOperations(),
  ...(await renderDashboardOperations(root, schema)),
  'apps/dashboard/src/generated/constants.ts': renderDashboardConstants(),
  // The preview of an import reads a file as the import does.
  'apps/dashboard/src/generated/csv-file.ts': readIfThere('libs/suppressions/src/entries/csv-file.ts'),
};

let stale = 0;
if (staleBodies) {
  if (check) stale += 1;
  console.log(check ? `${WEBHOOK_BODIES} is out of date. Run: npm run generate` : `wrote ${WEBHOOK_BODIES}`);
}
for (const [file, text] of Object.entries(outputs)) {
  const committed = readIfThere(file);
  if (committed === text) continue;
  if (check) {
    stale += 1;
    console.error(`${file} is out of date. Run: npm run generate\n${firstDifference(committed, text)}`);
  } else {
    writeFileSync(root + file, text);
    console.log(`wrote ${file}`);
  }
}
const problems = await asyncApiProblems(outputs['asyncapi.yaml']);
for (const problem of problems) console.error(`asyncapi.yaml is not valid: ${problem}`);
process.exit(stale + problems.length > 0 ? 1 : 0);

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
  if (line < 0) return `  the committed file has ${old.length - now.length} more lines at its end`;
  return `  line ${line + 1}\n  - ${old[line] ?? ''}\n  + ${now[line]}`;
}
