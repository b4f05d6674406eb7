import { registerEnumType } from '@nestjs/graphql';
import { parseTimestamp } from '#libs/contracts';
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** An instant: ISO 8601, UTC with milliseconds in output, with `Z` or an offset in input. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'An instant in ISO 8601, in UTC with milliseconds. Input requires Z or an offset.',
  serialize: (value) => {
    const instant = value instanceof Date ? value : parseTimestamp(String(value));
    if (!instant || Number.isNaN(instant.getTime())) throw new GraphQLError('DateTime cannot show this value.');
    return instant.toISOString();
  },
  parseValue: (value) => parseInstant(value),
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : null),
});

function parseInstant(value: unknown): Date {
  const instant = typeof value === 'string' ? parseTimestamp(value) : null;
  if (!instant)
    throw new GraphQLError('DateTime must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z.');
  return instant;
}

/** A count that may exceed 32 bits: of a whole account, or of bytes. Exact up to 2^53, as JSON numbers are. */
export const Long = new GraphQLScalarType<number, number>({
  name: 'Long',
  description: 'A whole number between -(2^53 - 1) and 2^53 - 1.',
  serialize: (value) => requireSafe(value),
  parseValue: (value) => requireSafe(value),
  parseLiteral: (node) => requireSafe(node.kind === Kind.INT ? Number(node.value) : null),
});

function requireSafe(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError('Long must be a whole number of at most 53 bits.');
}

/** Data whose fields depend on the type of an event. Output only. */
export const Json = new GraphQLScalarType<never, unknown>({
  name: 'JSON',
  description: 'A JSON object. Its names are those of the REST API.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('JSON is not accepted as input.');
  },
});

const enumsByWords = new Map<string, object>();

/** A GraphQL enum whose names are the values of the REST API. */
export function stringEnum<const T extends string>(
  name: string,
  names: readonly T[],
  description: string,
): Record<T, T> {
  const values = Object.fromEntries(names.map((value) => [value, value])) as Record<T, T>;
  registerEnumType(values, { name, description });
  enumsByWords.set(keyOf(names), values);
  return values;
}

/** Whether an enum has this value. */
export const isEnumWord = (word: string): boolean =>
  [...enumsByWords.keys()].some((words) => words.split(' ').includes(word));

/** The enum of exactly these words; undefined if none was defined for them. */
export const enumOf = (words: readonly string[]): object | undefined => enumsByWords.get(keyOf(words));

const keyOf = (words: readonly string[]): string => [...words].sort().join(' ');
