/** Longer words are cut; they are stored with every attempt. */
const MAX_CHARACTERS = 1000;

// No control characters, no halves of surrogate pairs, nothing that turns the direction of writing or hides.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/**
 * A remote's words as they may go into logs, terminals, JSON, databases and other people's pages: one line of at most
 * 1,000 characters.
 */
export function printableText(text: string): string {
  const printable = text
    .slice(0, 4 * MAX_CHARACTERS)
    .replace(UNPRINTABLE, ' ')
    .trim();
  if (printable.length <= MAX_CHARACTERS) return printable;
  // Never within a character.
  return `${printable.slice(0, MAX_CHARACTERS - 1).replace(/\p{Cs}$/u, '')}…`;
}
