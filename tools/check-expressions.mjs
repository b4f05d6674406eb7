// Fails for every regular expression of the product whose time grows faster than its input: literals, and expressions that
// are built at run time or from data files, for which each `new RegExp` is executed by tools/expressions/builders.mjs.
//
//   node tools/check-expressions.mjs [folder]      reads the output of the compiler in dist/
//
// tools/expressions/reviewed.json has the exceptions: { file, expression, bound }, where `bound` says which limit of the
// input, in which place, makes the expression harmless. An entry without such an expression fails as well.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { superLinear } from './expressions/analyse.mjs';
import { builtExpressions } from './expressions/built.mjs';
import { slowRun } from './expressions/probe.mjs';
import { productFiles, scan } from './expressions/sources.mjs';

const ROOT = realpathSync(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))));
const REVIEWED = join(ROOT, 'tools/expressions/reviewed.json');
const BUILDERS = join(ROOT, 'tools/expressions/builders.mjs');

const scanned = productFiles(ROOT).map((file) => scan(ROOT, file));
const sites = [...new Set(scanned.flatMap((one) => one.sites.map(({ file }) => file)))];
const builders = existsSync(BUILDERS) ? (await import(pathToFileURL(BUILDERS).href)).BUILDERS : {};
const built = await builtExpressions(ROOT, sites, builders);
const reviewed = existsSync(REVIEWED) ? JSON.parse(readFileSync(REVIEWED, 'utf8')) : [];
const problems = [
  ...scanned
    .flatMap((one) => one.hidden)
    .map(({ file, line, text }) => `${file}:${line} builds an expression without new RegExp: ${text}`),
  ...built.problems,
  ...judge([...scanned.flatMap((one) => one.literals), ...built.expressions], reviewed),
];
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

/** A problem for each super-linear expression that was not reviewed, and for each entry of the review that is not needed. */
function judge(expressions, entries) {
  const keyOf = ({ file, expression }) => `${file} ${expression}`;
  const known = new Map(entries.map((entry) => [keyOf(entry), entry]));
  const used = new Set();
  const found = [];
  for (const { file, line, source, flags } of expressions) {
    const reason = superLinear({ source, flags }) ?? slowRun({ source, flags });
    if (reason === null) continue;
    const expression = `/${source}/${flags}`;
    const key = keyOf({ file, expression });
    if (known.get(key)?.bound) used.add(key);
    else found.push(`${file}${line > 0 ? `:${line}` : ''} is not linear, ${reason}\n  ${expression.slice(0, 200)}`);
  }
  const stale = [...known.keys()].filter((key) => !used.has(key));
  return [...found, ...stale.map((key) => `tools/expressions/reviewed.json has an entry that is not needed: ${key}`)];
}
