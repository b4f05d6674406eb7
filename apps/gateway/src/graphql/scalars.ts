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

/** A GraphQL enum whose names are the values of the REST API. */
export function stringEnum<const T extends string>(name: string, names: readonly T[]): Record<T, T> {
  const values = Object.fromEntries(names.map((value) => [value, value])) as Record<T, T>;
  registerEnumType(values, { name });
  return values;
}
