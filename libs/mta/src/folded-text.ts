/** Longer replies are judged by their beginning, so that one costs some microseconds and never more than fifty. */
const JUDGED_CHARACTERS = 500;

const BEYOND_ASCII = /[^\0-\x7f]/;
const MARKS = /[\u0300-\u036f]+/g;
const APOSTROPHES = /[\u2018\u2019]/g;

/**
 * The words of a reply as rules compare them: lower case, without accents of Latin and Cyrillic letters, digits and
 * apostrophes in their plain form; at most the first 500 characters.
 */
export function foldedText(text: string): string {
  const begun = text.slice(0, JUDGED_CHARACTERS).toLowerCase();
  if (!BEYOND_ASCII.test(begun)) return begun;
  // Composed again afterwards: kana and Hangul come apart too and are meant to stay as they are.
  return begun.normalize('NFKD').replace(MARKS, '').replace(APOSTROPHES, "'").normalize('NFC');
}
