/**
 * Generates the typed operations of the dashboard from its *.graphql files and the schema, and the list of persisted
 * operations: a session may send only what is on it. Every selection set has `__typename`, which the cache of the client
 * needs.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, Kind, parse, print, visit } from 'graphql';

const HEADER = `// Generated from the *.graphql files of the dashboard by tools/generate.mjs. Do not edit.
import type { TypedDocumentNode } from '@urql/core';
`;
const SCALARS = { DateTime: 'string', Long: 'number', JSON: 'unknown', ID: 'string' };

/**
 * @param {string} root the root of the repository
 * @param {string} schemaText the schema in SDL
 * @returns {Promise<Record<string, string>>} file contents by path
 */
export async function renderDashboardOperations(root, schemaText) {
  const documents = graphqlFiles(join(root, 'apps', 'dashboard', 'src')).map((path) => ({
    location: relative(root, path),
    document: withTypenames(parse(readFileSync(path, 'utf8'), { noLocation: true })),
  }));
  const types = await codegen({
    filename: 'generated.ts',
    schema: parse(schemaText),
    schemaAst: buildSchema(schemaText),
    documents,
    config: {
      useTypeImports: true,
      enumsAsTypes: true,
      nonOptionalTypename: true,
      avoidOptionals: { field: true, inputValue: false, object: true },
      scalars: SCALARS,
    },
    plugins: [{ typescriptOperations: {} }],
    pluginMap: { typescriptOperations },
  });
  const operations = operationsOf(documents.flatMap(({ document }) => document.definitions));
  return {
    'apps/dashboard/src/graphql/generated.ts': [HEADER, types, ...operations.map(declaration)].join('\n'),
    'apps/dashboard/persisted-operations.json': `${JSON.stringify(
      Object.fromEntries(operations.map(({ id, document }) => [id, print(document)])),
      null,
      2,
    )}\n`,
  };
}

function withTypenames(document) {
  const field = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  return visit(document, {
    SelectionSet: (node, _key, parent) =>
      parent?.kind === Kind.OPERATION_DEFINITION ? undefined : { ...node, selections: [...node.selections, field] },
  });
}

/** Each operation with the fragments that it uses, and its id: the SHA-256 of its text. */
function operationsOf(definitions) {
  const fragments = new Map(
    definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).map((one) => [one.name.value, one]),
  );
  return definitions
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const document = { kind: Kind.DOCUMENT, definitions: [operation, ...usedFragments(operation, fragments)] };
      return { operation, document, id: createHash('sha256').update(print(document)).digest('hex') };
    })
    .toSorted((a, b) => (a.operation.name.value < b.operation.name.value ? -1 : 1));
}

function usedFragments(node, fragments, found = new Set()) {
  visit(node, {
    FragmentSpread: ({ name }) => {
      const fragment = fragments.get(name.value);
      if (!fragment) throw new Error(`The fragment ${name.value} does not exist`);
      if (found.has(fragment)) return;
      found.add(fragment);
      usedFragments(fragment, fragments, found);
    },
  });
  return found;
}

/** The client sends the id only, so that the pages do not contain the fields. */
function declaration({ operation, id }) {
  const name = operation.name.value;
  const suffix = operation.operation[0].toUpperCase() + operation.operation.slice(1);
  const selectionSet = { kind: Kind.SELECTION_SET, selections: [] };
  const header = { kind: operation.kind, operation: operation.operation, name: operation.name, selectionSet };
  const value = JSON.stringify({ kind: Kind.DOCUMENT, definitions: [header], documentId: id });
  return `export const ${name}Document = ${value} as unknown as TypedDocumentNode<${name}${suffix}, ${name}${suffix}Variables>;\n`;
}

function graphqlFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return graphqlFiles(path);
      return entry.name.endsWith('.graphql') ? [path] : [];
    })
    .toSorted((a, b) => (a < b ? -1 : 1));
}
