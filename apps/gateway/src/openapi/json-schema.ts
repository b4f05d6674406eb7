import type { OpenAPIObject } from '@nestjs/swagger';
import { idPattern } from './properties.js';

interface Schema {
  [keyword: string]: unknown;
}

/** Keywords whose value is one schema, several in a list, or several by name. */
const ONE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs'];

/**
 * Converts the schemas of the decorators (OpenAPI 3.0) to JSON Schema 2020-12 (OpenAPI 3.1): `example` becomes a list, an
 * exclusive bound a number, and an enum of one value a constant. The library has already converted `nullable`.
 *
 * Two valid forms are avoided because generators of clients misread them: a field with `default` becomes required in the
 * types of a request, so the default is a sentence of the description; and an enum with null does not compile in Go, so null
 * is an alternative of its own.
 */
export function toJsonSchema202012(document: OpenAPIObject): void {
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    translate(schema as unknown as Schema);
    visit(schema, describeDefault);
  }
  for (const operations of [document.paths, (document as { webhooks?: object }).webhooks])
    visit(operations, (node) => {
      if (isSchema(node['schema'])) translate(node['schema']);
    });
  visit(document.components?.schemas, addIdPattern);
}

const ID = /^([a-z]{2,4})_[0-9a-f]{32}$/;

/** The pattern of ids for fields whose example is one, and for the items of such lists. */
function addIdPattern(schema: Schema): void {
  const { examples, type, items } = schema;
  const [example] = Array.isArray(examples) ? (examples as unknown[]) : [];
  const prefix = ID.exec(String(Array.isArray(example) ? example[0] : example))?.[1];
  if (prefix === undefined) return;
  const target = type === 'array' ? items : schema;
  if (isSchema(target) && [target['type']].flat().includes('string')) target['pattern'] ??= idPattern(prefix);
}

function translate(schema: Schema): void {
  if ('example' in schema) {
    schema['examples'] ??= [schema['example']];
    delete schema['example'];
  }
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ]) {
    if (schema[exclusive] === true) schema[exclusive] = schema[bound];
    else if (schema[exclusive] !== false) continue;
    delete schema[typeof schema[exclusive] === 'number' ? bound : exclusive];
  }
  correctEnumType(schema);
  for (const child of childrenOf(schema)) translate(child);
  sortKeywords(schema);
}

const FIRST = ['type', 'enum', 'const', 'format', 'items', 'description'];

/** The order of keywords does not depend on that of the code. */
function sortKeywords(schema: Schema): void {
  const rank = (keyword: string) => `${(FIRST.indexOf(keyword) + FIRST.length + 1) % (FIRST.length + 1)} ${keyword}`;
  for (const [keyword, value] of Object.entries(schema).sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1))) {
    delete schema[keyword];
    schema[keyword] = value;
  }
}

/** The decorators give every enum the type string. */
function correctEnumType(schema: Schema): void {
  if (!Array.isArray(schema['enum'])) return;
  const values = schema['enum'].filter((value) => value !== null) as unknown[];
  const type = typeof values[0];
  if (values.length < schema['enum'].length) {
    schema['anyOf'] = [{ type, enum: values }, { type: 'null' }];
    delete schema['type'];
    delete schema['enum'];
    return;
  }
  schema['type'] = type;
  if (values.length !== 1) return;
  schema['const'] = values[0];
  delete schema['enum'];
}

function describeDefault(schema: Schema): void {
  if (!('default' in schema) || !('type' in schema || 'anyOf' in schema)) return;
  const { description } = schema;
  const text = typeof description === 'string' && description !== '' ? `${description.replace(/\.$/, '')}. ` : '';
  schema['description'] = `${text}Default: \`${String(schema['default'])}\``;
  delete schema['default'];
}

function childrenOf(schema: Schema): Schema[] {
  return [
    ...ONE.map((keyword) => schema[keyword]),
    ...LISTS.flatMap((keyword) => (schema[keyword] as unknown[] | undefined) ?? []),
    ...MAPS.flatMap((keyword) => Object.values((schema[keyword] as object | undefined) ?? {}) as unknown[]),
  ].filter(isSchema);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function visit(node: unknown, visitor: (node: Schema) => void): void {
  if (Array.isArray(node)) for (const child of node) visit(child, visitor);
  if (!isSchema(node)) return;
  visitor(node);
  for (const child of Object.values(node)) visit(child, visitor);
}
