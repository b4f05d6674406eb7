import { fieldOf, readHead } from './report-fields.js';

/** The Subject of a message of any origin, decoded; null where it has none. Not fit for a terminal as it is. */
export function reportSubject(message: Buffer): string | null {
  return fieldOf(readHead(message).fields, 'subject') || null;
}
