const MARKS = /[\u0300-\u036f]+/g;
const APOSTROPHES = /[\u2018\u2019]/g;

/** Text as the tables of phrases compare it: lower case, without accents, with plain apostrophes and single spaces. */
export function foldedLine(text: string): string {
  const lower = text.toLowerCase().normalize('NFKD').replace(MARKS, '').replace(APOSTROPHES, "'").normalize('NFC');
  return lower.replace(/\s+/g, ' ').trim();
}
