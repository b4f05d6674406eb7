/*
 * Windows-949 (UHC): EUC-KR, whose decoder Node.js has, and the syllables that KS X 1001 lacks. These stand in the order of
 * Unicode at the positions that EUC-KR leaves free.
 */

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** First octets of both. */
const FIRST_LEAD = 0x81;
const LAST_LEAD = 0xfe;
/** From here on, EUC-KR has characters with a second octet of A1 and more. */
const EUC_KR = 0xa1;
/** Of second octets: A to Z, a to z, 81 to FE. */
const TRAILS = [...range(0x41, 0x5a), ...range(0x61, 0x7a), ...range(0x81, 0xfe)];

/** Decodes the text, also with octets that are not in the charset. Linear. */
export function decodeKorean(bytes: Buffer): string {
  const decoder = new TextDecoder('euc-kr');
  let decoded = '';
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at];
    if (lead < FIRST_LEAD || lead > LAST_LEAD) continue;
    const syllable = isFurther(lead, bytes[at + 1]) ? further().get(lead * 256 + bytes[at + 1]) : undefined;
    if (syllable !== undefined) {
      decoded += decoder.decode(bytes.subarray(from, at)) + syllable;
      from = at + 2;
    }
    at += 1;
  }
  return decoded + decoder.decode(bytes.subarray(from));
}

const isFurther = (lead: number, trail: number): boolean => lead < EUC_KR || trail < EUC_KR;

let syllables: Map<number, string> | undefined;

/** By both octets; made when the first such text is read. */
function further(): Map<number, string> {
  syllables ??= furtherSyllables();
  return syllables;
}

function furtherSyllables(): Map<number, string> {
  const decoder = new TextDecoder('euc-kr');
  const known = new Set<string>();
  for (const lead of range(0xb0, 0xc8))
    for (const trail of range(0xa1, 0xfe)) known.add(decoder.decode(Buffer.from([lead, trail])));
  const others = range(FIRST_SYLLABLE, LAST_SYLLABLE)
    .map((code) => String.fromCharCode(code))
    .filter((syllable) => !known.has(syllable));
  const positions = range(FIRST_LEAD, 0xc6).flatMap((lead) =>
    TRAILS.filter((trail) => isFurther(lead, trail)).map((trail) => lead * 256 + trail),
  );
  return new Map(others.map((syllable, i) => [positions[i], syllable]));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
