import type { OpenAPIObject } from '@nestjs/swagger';

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
 */
export function toJsonSchema202012(document: OpenAPIObject): void {
  for (const schema of Object.values(document.components?.schemas ?? {})) translate(schema as unknown as Schema);
  visit(document.paths, (node) => {
    if (isSchema(node['schema'])) translate(node['schema']);
  });
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
}

/** The decorators give every enum the type string. */
function correctEnumType(schema: Schema): void {
  if (!Array.isArray(schema['enum'])) return;
  const types = new Set(schema['enum'].map((value) => (value === null ? 'null' : typeof value)));
  schema['type'] = types.size === 1 ? [...types][0] : [...types];
  if (schema['enum'].length !== 1) return;
  schema['const'] = schema['enum'][0] as unknown;
  delete schema['enum'];
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
