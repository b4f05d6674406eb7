// Prints measures of the product code as a table: node tools/code-metrics.mjs [--exports] [checkout…]
//
// Without arguments: this checkout. With several checkouts, one column for each, for example before and after a change.
// `--exports` prints the exports of the libraries alone, which reads no other files than those of their front doors.
// Product code is TypeScript in apps/ and libs/ without specs and test suites.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ts = createRequire(join(ROOT, 'package.json'))('typescript');
const SMALL_FILE = 25;
const FULL_FOLDER = 15;
const LONG_FUNCTION = 40;

const given = process.argv.slice(2).filter((argument) => argument !== '--exports');
const checkouts = given.length > 0 ? given.map((path) => resolve(path)) : [ROOT];
const measures = checkouts.map(process.argv.includes('--exports') ? exportsPerLibrary : measure);
const rows = [...new Set(measures.flatMap((one) => Object.keys(one)))];
const width = Math.max(...rows.map((row) => row.length));
console.log([''.padEnd(width), ...checkouts.map((path) => basename(path).padStart(10))].join('  '));
for (const row of rows)
  console.log([row.padEnd(width), ...measures.map((one) => String(one[row] ?? '–').padStart(10))].join('  '));

function measure(root) {
  const files = ['apps', 'libs'].flatMap((folder) => sources(join(root, folder)));
  const perFolder = new Map();
  const totals = { lines: 0, comments: 0, small: 0, long: 0 };
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const lines = text.split('\n').length - 1;
    totals.lines += lines;
    if (lines <= SMALL_FILE) totals.small += 1;
    totals.comments += commentLines(tree, text);
    totals.long += longFunctions(tree);
    perFolder.set(dirname(file), (perFolder.get(dirname(file)) ?? 0) + 1);
  }
  return {
    'product lines': totals.lines,
    'comment lines': totals.comments,
    files: files.length,
    [`files of at most ${SMALL_FILE} lines`]: totals.small,
    [`folders with more than ${FULL_FOLDER} files`]: [...perFolder.values()].filter((count) => count > FULL_FOLDER)
      .length,
    [`functions over ${LONG_FUNCTION} lines`]: totals.long,
    ...exportsPerLibrary(root),
  };
}

function sources(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sources(path);
    return entry.name.endsWith('.ts') && !/\.(spec|suite|d)\.ts$/.test(entry.name) ? [path] : [];
  });
}

function commentLines(tree, text) {
  const ranges = new Map();
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) ranges.set(range.pos, range.end);
    node.getChildren(tree).forEach(visit);
  };
  visit(tree);
  return [...ranges].reduce((sum, [start, end]) => sum + text.slice(start, end).split('\n').length, 0);
}

function longFunctions(tree) {
  let count = 0;
  const lineAt = (position) => tree.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body && lineAt(node.end) - lineAt(node.getStart()) + 1 > LONG_FUNCTION)
      count += 1;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return count;
}

/** Names in each `src/index.ts`; `export *` counts every name that the file exports. */
function exportsPerLibrary(root) {
  const folder = join(root, 'libs');
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((library) => [library, join(folder, library, 'src', 'index.ts')])
      .filter(([, index]) => existsSync(index))
      .map(([library, index]) => [`exports of ${relative(root, join(folder, library))}`, exportedNames(index).size]),
  );
}

function exportedNames(file) {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  return new Set(tree.statements.flatMap((statement) => namesOf(statement, file)));
}

function namesOf(statement, file) {
  if (ts.isExportDeclaration(statement)) return reexported(statement, file);
  const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map((one) => one.name.getText());
  return statement.name ? [statement.name.text] : [];
}

/** `export * as fields` is one name. */
function reexported({ exportClause, moduleSpecifier }, file) {
  if (exportClause === undefined)
    return [...exportedNames(join(dirname(file), moduleSpecifier.text.replace(/\.js$/, '.ts')))];
  if (ts.isNamespaceExport(exportClause)) return [exportClause.name.text];
  return exportClause.elements.map(({ name }) => name.text);
}
