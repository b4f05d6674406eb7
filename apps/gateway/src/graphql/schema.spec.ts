import { readFileSync } from 'node:fs';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLArgument,
  type GraphQLNamedType,
} from 'graphql';
import { describe, expect, it } from 'vitest';

const schema = buildSchema(readFileSync(new URL('../../../../schema.gql', import.meta.url), 'utf8'));
const ROOTS = new Set(['Query', 'Mutation', 'Subscription']);

interface Described {
  place: string;
  description: string | null | undefined;
}

function* describedOf(type: GraphQLNamedType): Generator<Described> {
  if (!ROOTS.has(type.name)) yield { place: type.name, description: type.description };
  if (!isObjectType(type) && !isInputObjectType(type)) return;
  for (const field of Object.values(type.getFields())) {
    const place = `${type.name}.${field.name}`;
    yield { place, description: field.description };
    const args: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
    for (const { name, description } of args) yield { place: `${place}(${name})`, description };
  }
}

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
);
const described = types.flatMap((type) => [...describedOf(type)]);
/** Values of enums, event types, metrics and the like, and fields of event data, which are those of REST. */
const REST_WORDS = new Set([
  ...types.flatMap((type) => (isEnumType(type) ? type.getValues().map(({ name }) => name) : [])),
  'is_bot',
  'created_at',
]);

describe('schema.gql', () => {
  it('describes every type, field and argument', () => {
    expect(described.filter(({ description }) => (description ?? '') === '').map(({ place }) => place)).toEqual([]);
  });

  it('names fields as GraphQL does', () => {
    const foreign = described.flatMap(({ place, description }) =>
      [...(description ?? '').matchAll(/`([a-z]+(?:_[a-z0-9]+)+)(?=`|:)/g)]
        .filter(([, word]) => !REST_WORDS.has(word))
        .map(([, word]) => `${place}: ${word}`),
    );
    expect(foreign).toEqual([]);
    expect(
      described.filter(({ place }) => place.replace(/^Event(Edge)?\b/, '').includes('_')).map(({ place }) => place),
    ).toEqual([]);
  });
});
