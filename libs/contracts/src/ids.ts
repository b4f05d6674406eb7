/**
 * Identifiers: a prefix that names the kind, `_`, and a UUIDv7 (RFC 9562 §5.7) in 32 hex digits.
 * They sort by time of creation, and within one process strictly: two ids of the same millisecond keep their order,
 * which is what makes an id usable as a list cursor.
 */
export const ID_PREFIXES = [
  'acc',
  'atm',
  'att',
  'aud',
  'cap',
  'dlv',
  'dom',
  'em',
  'evt',
  'inb',
  'key',
  'log',
  'sup',
  'usr',
  'wh',
  'wrk',
] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];

const SEQUENCE_BITS = 12;
const SEQUENCE_LIMIT = 1 << SEQUENCE_BITS;
/** Random bytes of one id; their hex digits are made for many ids at once. */
const RANDOM_BYTES = 8;
const RANDOM_DIGITS = 2 * RANDOM_BYTES;
const bytes = new Uint8Array(128 * RANDOM_BYTES);
const DIGIT = '0123456789abcdef';
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
let digits = '';
let digitsAt = 0;
let lastMs = 0;
/** `lastMs` in hex digits. */
let lastTime = '';
let sequence = 0;

function randomHex(): string {
  if (digitsAt >= digits.length) {
    globalThis.crypto.getRandomValues(bytes);
    digits = '';
    for (let i = 0; i < bytes.length; i++)
      // The variant (RFC 9562 §4.1) is in the first two bits of each id's share.
      digits += HEX[i % RANDOM_BYTES === 0 ? (bytes[i] & 0x3f) | 0x80 : bytes[i]];
    digitsAt = 0;
  }
  return digits.slice(digitsAt, (digitsAt += RANDOM_DIGITS));
}

/** A new id, for example `em_01978c0e5f7b7c3a9d21f0b64c1e88aa`. */
export function newId(prefix: IdPrefix): string {
  const now = Date.now();
  if (now > lastMs) {
    begin(now);
    // The low half only, so that a busy millisecond has room to count up.
    sequence = Math.floor(Math.random() * (SEQUENCE_LIMIT / 2));
  } else if (++sequence >= SEQUENCE_LIMIT) {
    // More than 2,048 ids in one millisecond, or a clock that went back: borrow from the next millisecond.
    begin(lastMs + 1);
    sequence = 0;
  }
  const random = randomHex();
  return `${prefix}_${lastTime}7${HEX[sequence >> 4]}${DIGIT[sequence & 0xf]}${random}`;
}

function begin(ms: number): void {
  lastMs = ms;
  lastTime = ms.toString(16).padStart(12, '0');
}

/** True when `value` has the form of an id of this kind; says nothing about its existence. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.length === prefix.length + 33 && value.startsWith(`${prefix}_`) && /^[0-9a-f]{32}$/.test(value.slice(-32))
  );
}

/** The UUID in an id, as clients of Resend know ids: `01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa`. Other text is given back as it is. */
export function bareUuid(id: string): string {
  const [, ...groups] = /^[a-z]+_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id) ?? [];
  return groups.length === 0 ? id : groups.join('-');
}

/** When an id was made, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(id.indexOf('_') + 1).slice(0, 12), 16));
}

/** The lowest id that can be made at `time`: ids from here on are not older, those before it are. */
export function lowestIdAt(prefix: IdPrefix, time: Date): string {
  return `${prefix}_${Math.max(0, time.getTime()).toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
}
