import { isUtf8 } from 'node:buffer';
import { Refusal } from '#libs/contracts';
import { ByteArrayReader } from './byte-array.js';

/**
 * Limits checked on the bytes of a JSON body before `JSON.parse`. The cost of parsing depends on the number of values, not
 * of bytes: 10 MB of `[[[[` block the event loop for seconds, while an email of that size takes milliseconds. The same
 * scan refuses input that the parser would accept silently: duplicate keys (the last one would win), `__proto__` and
 * similar keys, NUL, and unpaired surrogates.
 *
 * The scanner is not a JSON parser: a body that passes may still be malformed, which `JSON.parse` detects at little cost.
 */
export interface JsonLimits {
  depth: number;
  /** Brackets, braces, commas, colons and strings, counted together, in one element of the outermost array. */
  perElement: number;
  /** The same, in the whole body. */
  inAll: number;
  /**
   * Attachment content may be an array with one number for each byte. It does not count towards the limits, because it
   * is read into bytes and must contain nothing else.
   */
  byteArrays?: boolean;
}

/** A part of a string value: the bytes `from` to `to` of the string that begins at `start`, after its quote. */
export interface StringPart {
  start: number;
  from: number;
  to: number;
  escaped: boolean;
  last: boolean;
}

/** An array of numbers from 0 to 255: its bytes, and the positions of the array in the body. */
export interface ByteArray {
  start: number;
  end: number;
  content: Buffer[];
}

/** A value found by the scanner, for a reader that replaces it. */
export interface JsonListener {
  /** Called for every string value, in parts when a slice ends inside it. */
  onString?: (part: StringPart) => void;
  onBytes?: (array: ByteArray) => void;
}

// No field needs a longer number, and parsing one is expensive.
const MAX_BARE_TOKEN = 64;
/** Longer than any known name. A key is never split between slices. */
export const MAX_KEY_BYTES = 256;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

enum Kind {
  Other,
  Blank,
  Quote,
  Open,
  Close,
  Comma,
  Colon,
}
const KINDS = new Uint8Array(256);
for (const blank of ' \t\r\n') KINDS[blank.charCodeAt(0)] = Kind.Blank;
for (const open of '[{') KINDS[open.charCodeAt(0)] = Kind.Open;
for (const close of ']}') KINDS[close.charCodeAt(0)] = Kind.Close;
KINDS[QUOTE] = Kind.Quote;
KINDS[','.charCodeAt(0)] = Kind.Comma;
KINDS[':'.charCodeAt(0)] = Kind.Colon;
const BRACE = '{'.charCodeAt(0);

/** Bytes that end a run of plain bytes inside a string. */
const ENDS_RUN = new Uint8Array(256).fill(1, 0, 0x20);
ENDS_RUN[QUOTE] = 1;
ENDS_RUN[BACKSLASH] = 1;

/** Scans a whole body. @throws Refusal `malformed_json` with one detail. */
export function checkJsonLimits(bytes: Buffer, limits: JsonLimits): void {
  new JsonScanner(bytes, limits).advance(bytes.length);
}

/** Scans one body in slices. */
export class JsonScanner {
  private at = 0;
  /** All bytes before this position are valid UTF-8. */
  private unicodeTo = 0;
  private inElement = 0;
  private inAll = 0;
  /** For each open object the keys seen so far, for each open array the index of the current element. */
  private readonly open: (Set<string> | number)[] = [];
  /** For each open object its last key. */
  private readonly lastKeys: (string | undefined)[] = [];
  private keyNext = false;
  /** The string that contains the current position. */
  private text: { start: number; from: number; escaped: boolean } | null = null;
  /** The array of bytes that contains the current position. */
  private array: { start: number; reader: ByteArrayReader } | null = null;

  constructor(
    private readonly bytes: Buffer,
    private readonly limits: JsonLimits,
    private readonly listener: JsonListener = {},
  ) {}

  /** The position up to which everything outside of strings and arrays of bytes has been scanned. */
  get position(): number {
    return this.text?.start ?? this.array?.start ?? this.at;
  }

  /** Scans this many more bytes; true at the end. @throws Refusal `malformed_json`. */
  advance(bytes: number): boolean {
    const until = Math.min(this.at + bytes, this.bytes.length);
    this.requireUnicode(until);
    while (this.at < until) {
      const kind = KINDS[this.bytes[this.at]];
      if (this.text !== null) this.string(this.text, until);
      else if (this.array !== null) this.byteArray(this.array, until);
      else if (kind === Kind.Blank) this.at += 1;
      else if (kind === Kind.Other) this.bareToken();
      else this.structural(kind);
    }
    if (this.at < this.bytes.length) return false;
    if (this.text !== null) throw malformed('unfinished', 'must not end within a string');
    if (this.array !== null) throw malformed('unfinished', 'must not end within an array');
    return true;
  }

  /** Also excludes surrogates written as UTF-8 and overlong forms, which Buffer.toString would replace silently. */
  private requireUnicode(until: number): void {
    const to = this.wholeCharacters(this.unicodeTo, until);
    if (!isUtf8(this.bytes.subarray(this.unicodeTo, to))) throw malformed('invalid_unicode', 'must be UTF-8');
    this.unicodeTo = to;
  }

  /** The last position up to `to` that is not inside a character. */
  private wholeCharacters(from: number, to: number): number {
    let at = to;
    while (at > from && (this.bytes[at] & 0xc0) === 0x80) at -= 1;
    return at;
  }

  private structural(kind: Kind): void {
    this.count(kind);
    this.at += 1;
    if (kind === Kind.Quote) this.text = { start: this.at, from: this.at, escaped: false };
    else if (kind === Kind.Open) this.enter(this.bytes[this.at - 1] === BRACE);
    else if (kind === Kind.Close) this.leave();
    else if (kind === Kind.Comma) this.nextMember();
  }

  private nextMember(): void {
    const container = this.open.at(-1);
    this.keyNext = container instanceof Set;
    if (typeof container === 'number') this.open[this.open.length - 1] = container + 1;
  }

  private count(kind: Kind): void {
    const { perElement, inAll } = this.limits;
    if (kind === Kind.Comma && this.open.length === 1 && typeof this.open[0] === 'number') this.inElement = 0;
    if (++this.inElement > perElement || ++this.inAll > inAll)
      throw malformed(
        'too_complex',
        `must have at most ${perElement} values and separators in a mail, ${inAll} in all`,
      );
  }

  private enter(isObject: boolean): void {
    if (!isObject && this.limits.byteArrays === true && this.isAttachmentContent()) {
      this.array = { start: this.at - 1, reader: new ByteArrayReader() };
      return;
    }
    if (this.open.length >= this.limits.depth)
      throw malformed('too_deep', `must be nested at most ${this.limits.depth} levels deep`);
    this.open.push(isObject ? new Set() : 0);
    this.lastKeys.push(undefined);
    this.keyNext = isObject;
  }

  /** In one email or in an element of a batch; `data` is the array in a Buffer that Node.js wrote as JSON. */
  private isAttachmentContent(): boolean {
    const { open, lastKeys } = this;
    const email = typeof open[0] === 'number' ? 1 : 0;
    if (lastKeys[email] !== 'attachments' || typeof open[email + 1] !== 'number') return false;
    if (lastKeys[email + 2] !== 'content') return false;
    return open.length === email + 3 || (open.length === email + 4 && lastKeys[email + 3] === 'data');
  }

  private byteArray({ start, reader }: { start: number; reader: ByteArrayReader }, until: number): void {
    const at = reader.read(this.bytes, this.at, until);
    if (at === null)
      throw malformed('invalid_bytes', 'must be base64 or an array of integers from 0 to 255', this.path());
    this.at = at;
    if (!reader.done) return;
    this.array = null;
    this.listener.onBytes?.({ start, end: at, content: reader.content });
  }

  private leave(): void {
    if (this.open.pop() === undefined) throw malformed('unbalanced', 'must have its brackets in pairs');
    this.lastKeys.pop();
    this.keyNext = false;
  }

  /** A number, true, false or null; the parser checks which. */
  private bareToken(): void {
    const start = this.at;
    while (this.at < this.bytes.length && KINDS[this.bytes[this.at]] === Kind.Other) {
      if (++this.at - start > MAX_BARE_TOKEN) throw malformed('invalid_number', 'must not have numbers of such length');
    }
  }

  private string(text: { start: number; from: number; escaped: boolean }, until: number): void {
    const { bytes } = this;
    let at = this.at;
    while (at < until && bytes[at] !== QUOTE) {
      if (ENDS_RUN[bytes[at]] === 0) at += 1;
      else if (bytes[at] === BACKSLASH) {
        text.escaped = true;
        at = this.escape(at);
      } else throw malformed('control_character', 'must not contain control characters', this.path());
    }
    this.at = at;
    if (this.keyNext && at - text.start > MAX_KEY_BYTES)
      throw malformed('key_too_long', `must not have keys of more than ${MAX_KEY_BYTES} bytes`);
    if (bytes[at] === QUOTE) this.closeString(text);
    else if (!this.keyNext) this.pauseInString(text);
  }

  private closeString({ start, from, escaped }: { start: number; from: number; escaped: boolean }): void {
    if (this.keyNext) this.key(start, this.at, escaped);
    else this.listener.onString?.({ start, from, to: this.at, escaped, last: true });
    this.text = null;
    this.at += 1;
  }

  /** The slice ends inside a string: passes on the bytes up to the last complete character. */
  private pauseInString(text: { start: number; from: number; escaped: boolean }): void {
    const to = this.wholeCharacters(text.from, this.at);
    this.listener.onString?.({ ...text, to, last: false });
    text.from = to;
    text.escaped = false;
  }

  /** The position after the escape sequence at `at`; a surrogate pair is one sequence. */
  private escape(at: number): number {
    if (at + 1 >= this.bytes.length) throw malformed('unfinished', 'must not end within a string');
    if (this.bytes[at + 1] !== LETTER_U) return at + 2;
    const unit = this.codeUnit(at);
    if (unit === 0) throw malformed('invalid_unicode', 'must not contain NUL characters', this.path());
    if (unit < 0xd800 || unit > 0xdfff) return at + 6;
    if (unit > 0xdbff || !this.isLowSurrogate(at + 6))
      throw malformed('invalid_unicode', 'must not contain halves of surrogate pairs', this.path());
    return at + 12;
  }

  private isLowSurrogate(at: number): boolean {
    if (this.bytes[at] !== BACKSLASH || this.bytes[at + 1] !== LETTER_U) return false;
    const unit = this.codeUnit(at);
    return unit >= 0xdc00 && unit <= 0xdfff;
  }

  private codeUnit(at: number): number {
    let value = 0;
    for (let i = at + 2; i < at + 6; i++) {
      const digit = HEX[this.bytes[i] ?? 0];
      if (digit < 0) throw malformed('invalid_escape', 'must have four hex digits behind \\u');
      value = value * 16 + digit;
    }
    return value;
  }

  /** The path of the current position, such as `to[3]` or `attachments[0].filename`; `key` is the key being read. */
  private path(key?: string): string {
    const steps = this.open.map((container, i) => {
      if (typeof container === 'number') return `[${container}]`;
      const name = this.keyNext && i === this.open.length - 1 ? key : this.lastKeys[i];
      return name === undefined ? '' : `.${name}`;
    });
    return steps.join('').replace(/^\./, '');
  }

  private key(start: number, end: number, escaped: boolean): void {
    const written = this.bytes.toString('utf8', start, end);
    const key = escaped ? unescaped(written) : written;
    const seen = this.open.at(-1);
    if (!(seen instanceof Set)) return;
    if (FORBIDDEN_KEYS.has(key)) throw malformed('forbidden_key', 'must not be a key', this.path(key));
    if (seen.has(key)) throw malformed('duplicate_key', 'must be given once', this.path(key));
    seen.add(key);
    this.lastKeys[this.lastKeys.length - 1] = key;
    this.keyNext = false;
  }
}

const HEX = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

function unescaped(written: string): string {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    throw malformed('invalid_escape', 'must have valid escapes in its keys');
  }
}

const malformed = (code: string, message: string, field = ''): Refusal =>
  new Refusal('malformed_json', [{ field, code, message }], `${field || 'The body'} ${message}.`);
