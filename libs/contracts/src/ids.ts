/**
 * Kinds of identifiers. An id is the prefix, `_` and a UUIDv7 (RFC 9562 §5.7) in 32 hex digits. Ids sort by creation
 * time, in one process strictly: two ids of the same millisecond keep their order. Therefore ids are used as cursors.
 */
export type IdPrefix =
  | 'acc'
  | 'atm'
  | 'att'
  | 'aud'
  | 'cap'
  | 'dlv'
  | 'doc'
  | 'dom'
  | 'em'
  | 'ers'
  | 'evt'
  | 'inb'
  | 'inv'
  | 'key'
  | 'log'
  | 'prk'
  | 'rpl'
  | 'ses'
  | 'sup'
  | 'usr'
  | 'wh'
  | 'wrk';

/** Milliseconds since 1970. */
let clock = (): number => Date.now();

/** Takes the time of new ids from `now` instead of the clock of the system. Ids never go back with it. */
export function setIdClock(now: () => number): void {
  clock = now;
}

const SEQUENCE_BITS = 12;
const SEQUENCE_LIMIT = 1 << SEQUENCE_BITS;
/** Random bytes of one id. Their hex digits are made for many ids at once. */
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
      // The first two bits of each id's part are the variant (RFC 9562 §4.1).
      digits += HEX[i % RANDOM_BYTES === 0 ? (bytes[i] & 0x3f) | 0x80 : bytes[i]];
    digitsAt = 0;
  }
  return digits.slice(digitsAt, (digitsAt += RANDOM_DIGITS));
}

/** A new id, for example `em_01978c0e5f7b7c3a9d21f0b64c1e88aa`. */
export function newId(prefix: IdPrefix): string {
  const now = clock();
  if (now > lastMs) {
    begin(now);
    // The lower half only, so that the sequence can count up within a busy millisecond.
    sequence = Math.floor(Math.random() * (SEQUENCE_LIMIT / 2));
  } else if (++sequence >= SEQUENCE_LIMIT) {
    // More than 2,048 ids in one millisecond, or a clock that went back: use the next millisecond.
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

/** Whether `value` has the form of an id of this kind. The id need not exist. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return (
    value.length === prefix.length + 33 && value.startsWith(`${prefix}_`) && /^[0-9a-f]{32}$/.test(value.slice(-32))
  );
}

/**
 * The UUID in an id, in the form of Resend ids: `01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa`. Other text is returned
 * unchanged.
 */
export function bareUuid(id: string): string {
  const [, ...groups] = /^[a-z]+_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id) ?? [];
  return groups.length === 0 ? id : groups.join('-');
}

/** When an id was made, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(id.indexOf('_') + 1).slice(0, 12), 16));
}

/** The lowest id of a time: ids that were made at `time` or later are not lower. */
export function lowestIdAt(prefix: IdPrefix, time: Date): string {
  return `${prefix}_${Math.max(0, time.getTime()).toString(16).padStart(12, '0')}${'0'.repeat(20)}`;
}
