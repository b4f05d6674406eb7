/** Bits of a segment. Some thousand are set by a thousand emails, so that a trigram which no email has is rarely found set. */
const BITS = 30_720;
/** Trigrams of a search that are looked up. */
const MOST_LOOKED_UP = 16;

/** The positions of the trigrams of a text that is in lower case already. */
function positionsOf(text: string): Set<number> {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const positions = new Set<number>();
  for (let i = 0; i + 2 < points.length; i += 1) {
    const hash = Math.imul(Math.imul(points[i], 0x01000193) ^ points[i + 1], 0x01000193) ^ points[i + 2];
    positions.add((Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) % BITS);
  }
  return positions;
}

/** The bitmap of the trigrams of these texts, as `get_bit` of PostgreSQL reads it. */
export function trigramBitmap(texts: readonly string[]): Buffer {
  const bitmap = Buffer.alloc(BITS / 8);
  for (const text of texts) for (const position of positionsOf(text)) bitmap[position >> 3] |= 1 << (position & 7);
  return bitmap;
}

/** Positions that are all set in the bitmap of a text that contains this one; empty below three characters. */
export function lookedUpTrigrams(text: string): number[] {
  const positions = [...positionsOf(text)];
  const step = Math.max(1, positions.length / MOST_LOOKED_UP);
  return positions.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}
