import { registerEnumType } from '@nestjs/graphql';

/** A GraphQL enum whose names are the REST words themselves (details §4). */
export function wordEnum<const T extends string>(name: string, words: readonly T[]): Record<T, T> {
  const values = Object.fromEntries(words.map((word) => [word, word])) as Record<T, T>;
  registerEnumType(values, { name });
  return values;
}
