import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { parseTimestamp } from '../timestamp.js';

/** An instant, as ISO 8601 UTC with milliseconds; input needs `Z` or an offset. Strict: nothing is guessed. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'An instant in ISO 8601, UTC with milliseconds. Input needs Z or an offset.',
  serialize: (value) => {
    const instant = value instanceof Date ? value : parseTimestamp(String(value));
    if (!instant || Number.isNaN(instant.getTime())) throw new GraphQLError('DateTime cannot show this value.');
    return instant.toISOString();
  },
  parseValue: (value) => read(value),
  parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : null),
});

function read(value: unknown): Date {
  const instant = typeof value === 'string' ? parseTimestamp(value) : null;
  if (!instant)
    throw new GraphQLError('DateTime must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z.');
  return instant;
}
