import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Source {
  /** Path below the root of the repository. */
  file: string;
  text: string;
}

/** One statement that changes rows. */
export interface Write {
  file: string;
  /** `?` if the name is computed at run time. */
  table: string;
  kind: 'insert' | 'update' | 'delete';
  /** The columns that an UPDATE sets. */
  columns: string[];
}

/** One string that reads several tables. */
export interface Join {
  file: string;
  tables: string[];
}

/** The TypeScript sources of all libraries and programs, without specs and migrations. */
export function productSources(): Source[] {
  return ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((file) => /\/src\/.*\.ts$/.test(file) && !/\.(spec|suite)\.ts$|\/migrations\/|node_modules/.test(file))
      .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') })),
  );
}

/**
 * The string literals of the sources. `${NAME}` in a template is replaced by the text of a constant of the same file or
 * of an imported file of the same library; any other expression becomes `?`.
 */
export function stringLiterals(sources: readonly Source[]): Source[] {
  const treeOf = parser(sources);
  return sources.flatMap(({ file, text: source }) => {
    const tree = SQL.test(source) ? treeOf(file) : undefined;
    const found: Source[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteralLike(node)) found.push({ file, text: node.text });
      else if (ts.isTemplateExpression(node)) found.push({ file, text: textOf(node, { file, treeOf }) });
      ts.forEachChild(node, visit);
    };
    if (tree) visit(tree);
    return found;
  });
}

/** Most files contain no SQL and need not be parsed. */
const SQL = /\b(INSERT|UPDATE|DELETE|FROM|JOIN|USING)\s/;

function parser(sources: readonly Source[]): Scope['treeOf'] {
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const trees = new Map<string, ts.SourceFile>();
  return (file) => {
    const text = texts.get(file);
    if (text === undefined) return undefined;
    const tree = trees.get(file) ?? ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    trees.set(file, tree);
    return tree;
  };
}

interface Scope {
  file: string;
  treeOf: (file: string) => ts.SourceFile | undefined;
}

function textOf(node: ts.Expression, scope: Scope): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) return constantText(node.text, scope);
  if (!ts.isTemplateExpression(node)) return '?';
  return node.head.text + node.templateSpans.map((span) => textOf(span.expression, scope) + span.literal.text).join('');
}

function constantText(name: string, scope: Scope): string {
  const statements = scope.treeOf(scope.file)?.statements ?? [];
  const [constant] = statements.flatMap((statement) => initializerOf(name, statement) ?? []);
  if (constant) return textOf(constant, scope);
  const [from] = statements.flatMap((statement) => importedFile(name, statement, scope.file) ?? []);
  return from && scope.treeOf(from) ? constantText(name, { ...scope, file: from }) : '?';
}

function initializerOf(name: string, statement: ts.Statement): ts.Expression | undefined {
  if (!ts.isVariableStatement(statement)) return undefined;
  return statement.declarationList.declarations.find((one) => one.name.getText() === name)?.initializer;
}

function importedFile(name: string, statement: ts.Statement, importer: string): string | undefined {
  if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return undefined;
  const named = statement.importClause?.namedBindings;
  if (!named || !ts.isNamedImports(named) || !named.elements.some((one) => one.name.text === name)) return undefined;
  return normalize(join(dirname(importer), statement.moduleSpecifier.text)).replace(/\.js$/, '.ts');
}

const INSERT = /\bINSERT\s+INTO\s+([a-z_]+|\?)/g;
const UPDATE = /\bUPDATE\s+([a-z_]+|\?)(?:\s+(?:AS\s+)?[a-z]+)?\s+SET\s+/g;
const DELETE = /\bDELETE\s+FROM\s+([a-z_]+|\?)/g;

/** The changes that a string makes, if it is SQL. */
export function writesIn({ file, text }: Source): Write[] {
  return [
    ...[...text.matchAll(INSERT)].map(([, table]) => ({ file, table, kind: 'insert' as const, columns: [] })),
    ...[...text.matchAll(UPDATE)].map((match) => ({
      file,
      table: match[1],
      kind: 'update' as const,
      columns: assignedColumns(text.slice(match.index + match[0].length)),
    })),
    ...[...text.matchAll(DELETE)].map(([, table]) => ({ file, table, kind: 'delete' as const, columns: [] })),
  ];
}

/** The names before `=` in the list after SET, which ends at FROM, WHERE or RETURNING outside of parentheses. */
function assignedColumns(list: string): string[] {
  let depth = 0;
  let assignments = '';
  for (const word of list.split(/(\s+|[(),])/)) {
    if (word === ')' && depth === 0) break;
    if (depth === 0 && /^(FROM|WHERE|RETURNING)$/.test(word)) break;
    if (depth === 0) assignments += word;
    depth += word === '(' ? 1 : word === ')' ? -1 : 0;
  }
  return assignments.split(',').map((one) => one.split('=', 1)[0].trim());
}

/** The tables of `names` that a string reads: after FROM, JOIN or USING, in a list after FROM, or changed by UPDATE. */
export function joinIn({ file, text }: Source, names: readonly string[]): Join {
  const name = `(${names.join('|')})\\b`;
  const patterns = [
    new RegExp(`(?<!DELETE\\s+)\\b(?:FROM|JOIN|USING)\\s+${name}`, 'g'),
    new RegExp(`,\\s*${name}\\s+(?:AS\\s+)?[a-z]+\\b(?!\\s*[=(])`, 'g'),
    new RegExp(`\\bUPDATE\\s+${name}`, 'g'),
  ];
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, table]) => table));
  return { file, tables: [...new Set(found)].sort() };
}
