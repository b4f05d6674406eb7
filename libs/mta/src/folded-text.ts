import { bothEnds } from './both-ends.js';

/** Of longer replies beginning and end are judged: an ordinary one costs some microseconds, none more than fifty. */
const JUDGED_AT_EACH_END = 350;

const BEYOND_ASCII = /[^\0-\x7f]/;
const MARKS = /[\u0300-\u036f]+/g;
const APOSTROPHES = /[\u2018\u2019]/g;

/**
 * The words of a reply as rules compare them: lower case, without accents of Latin and Cyrillic letters, digits and
 * apostrophes in their plain form; at most the first and the last 350 characters.
 */
export function foldedText(text: string): string {
  const judged = bothEnds(text, JUDGED_AT_EACH_END).toLowerCase();
  if (!BEYOND_ASCII.test(judged)) return judged;
  // Composed again afterwards: kana and Hangul come apart too and are meant to stay as they are.
  return judged.normalize('NFKD').replace(MARKS, '').replace(APOSTROPHES, "'").normalize('NFC');
}
