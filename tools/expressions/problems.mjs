// The problems of the regular expressions of a checkout, one sentence each.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { superLinear } from './analyse.mjs';
import { builtExpressions } from './built.mjs';
import { slowRun } from './probe.mjs';
import { productFiles, scan } from './sources.mjs';

/**
 * @param {string} folder a checkout with dist/, the output of the compiler
 * @returns {Promise<string[]>}
 */
export async function expressionProblems(folder) {
  const root = realpathSync(folder);
  const reviewedFile = join(root, 'tools/expressions/reviewed.json');
  const buildersFile = join(root, 'tools/expressions/builders.mjs');
  const scanned = productFiles(root).map((file) => scan(root, file));
  const sites = [...new Set(scanned.flatMap((one) => one.sites.map(({ file }) => file)))];
  const builders = existsSync(buildersFile) ? (await import(pathToFileURL(buildersFile).href)).BUILDERS : {};
  const built = await builtExpressions(root, sites, builders);
  const reviewed = existsSync(reviewedFile) ? JSON.parse(readFileSync(reviewedFile, 'utf8')) : [];
  return [
    ...scanned
      .flatMap((one) => one.hidden)
      .map(({ file, line, text }) => `${file}:${line} builds an expression without new RegExp: ${text}`),
    ...built.problems,
    ...judge([...scanned.flatMap((one) => one.literals), ...built.expressions], reviewed),
  ];
}

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
