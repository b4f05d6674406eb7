import { firstAddress } from './report-address.js';

/** By the address that a mail went on to, in lower case: the one that it came for. */
export type Origins = ReadonlyMap<string, string>;

/** Exim's note in the line below an address that an alias led to. */
const NOTE = /^\s{1,20}\((?:ultimately )?generated from ([^()\s]{1,320})\)/;

/** The notes of aliases in a text. */
export function originsIn(lines: readonly string[]): Origins {
  const origins = new Map<string, string>();
  for (const [i, line] of lines.entries()) {
    const origin = firstAddress(NOTE.exec(line)?.[1] ?? '');
    const final = origin === null || i === 0 ? null : firstAddress(lines[i - 1]);
    if (origin !== null && final !== null) origins.set(final.toLowerCase(), origin);
  }
  return origins;
}

/** Null for whoever no note is about. */
export const originOf = (origins: Origins, address: string | null): string | null =>
  origins.get(address?.toLowerCase() ?? '') ?? null;
