import { bothEnds } from './both-ends.js';

/** Longer words are cut; they are stored with every attempt. */
const MAX_CHARACTERS = 1000;

// No control characters, no halves of surrogate pairs, nothing that turns the direction of writing or hides.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/**
 * A remote's words as they may go into logs, terminals, JSON, databases and other people's pages: one line of at most
 * 1,000 characters. Of longer ones the middle is left out: what was decided often stands at the end.
 */
export function printableText(text: string): string {
  const printable = bothEnds(text, 2 * MAX_CHARACTERS)
    .replace(UNPRINTABLE, ' ')
    .trim();
  if (printable.length <= MAX_CHARACTERS) return printable;
  const half = MAX_CHARACTERS / 2;
  // Never within a character.
  const begun = printable.slice(0, half - 1).replace(/\p{Cs}$/u, '');
  return `${begun}…${printable.slice(-half).replace(/^\p{Cs}/u, '')}`;
}
