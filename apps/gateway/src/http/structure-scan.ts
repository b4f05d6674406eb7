import { isUtf8 } from 'node:buffer';
import { Refusal } from '#libs/contracts';

/**
 * One look at the bytes of a JSON body before `JSON.parse` sees them. The parser's cost depends on the number of values,
 * not on the number of bytes: 10 MB of `[[[[` hold the event loop for seconds while an honest mail of that size takes
 * milliseconds. So the structure is counted first, and what the parser would accept silently is refused with it: keys
 * given twice (the last would win), `__proto__` and its kin, NUL, and halves of surrogate pairs.
 *
 * This is no JSON parser: a body that passes may still be malformed, which `JSON.parse` then says at small cost.
 */
export interface StructureLimits {
  depth: number;
  /** Brackets, braces, commas, colons and strings, counted together. */
  structure: number;
}

// A number of more characters has no use in any field and costs the parser long arithmetic.
const MAX_BARE_TOKEN = 64;
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

/** @throws Refusal `malformed_json` with one detail that says what is wrong. */
export function scanStructure(bytes: Buffer, limits: StructureLimits): void {
  // Also excludes surrogates written as UTF-8 and overlong forms, which Buffer.toString would replace silently.
  if (!isUtf8(bytes)) throw malformed('invalid_unicode', 'must be UTF-8');
  new StructureScan(bytes, limits).run();
}

class StructureScan {
  private at = 0;
  private structure = 0;
  /** Of each open container: the keys seen so far, or null for an array. */
  private readonly open: (Set<string> | null)[] = [];
  private keyNext = false;

  constructor(
    private readonly bytes: Buffer,
    private readonly limits: StructureLimits,
  ) {}

  run(): void {
    const { bytes } = this;
    while (this.at < bytes.length) {
      const kind = KINDS[bytes[this.at]];
      if (kind === Kind.Blank) this.at += 1;
      else if (kind === Kind.Other) this.bareToken();
      else this.structural(kind);
    }
  }

  private structural(kind: Kind): void {
    if (++this.structure > this.limits.structure)
      throw malformed('too_complex', `must have at most ${this.limits.structure} values and separators`);
    if (kind === Kind.Quote) return this.string();
    if (kind === Kind.Open) this.enter(this.bytes[this.at] === BRACE);
    else if (kind === Kind.Close) this.leave();
    else this.keyNext = kind === Kind.Comma && this.open.at(-1) instanceof Set;
    this.at += 1;
  }

  private enter(isObject: boolean): void {
    if (this.open.length >= this.limits.depth)
      throw malformed('too_deep', `must be nested at most ${this.limits.depth} levels deep`);
    this.open.push(isObject ? new Set() : null);
    this.keyNext = isObject;
  }

  private leave(): void {
    if (this.open.pop() === undefined) throw malformed('unbalanced', 'must have its brackets in pairs');
    this.keyNext = false;
  }

  /** A number, true, false or null; whether it is one is the parser's matter. */
  private bareToken(): void {
    const start = this.at;
    while (this.at < this.bytes.length && KINDS[this.bytes[this.at]] === Kind.Other) {
      if (++this.at - start > MAX_BARE_TOKEN) throw malformed('invalid_number', 'must not have numbers of such length');
    }
  }

  private string(): void {
    const { bytes } = this;
    const start = ++this.at;
    let escaped = false;
    let at = start;
    while (bytes[at] !== QUOTE) {
      if (at >= bytes.length) throw malformed('unfinished', 'must not end within a string');
      if (bytes[at] === BACKSLASH) {
        escaped = true;
        at = this.escape(at);
      } else at += 1;
    }
    this.at = at + 1;
    if (this.keyNext) this.key(start, at, escaped);
  }

  /** From the backslash to behind its escape; a surrogate pair counts as one. */
  private escape(at: number): number {
    if (at + 1 >= this.bytes.length) throw malformed('unfinished', 'must not end within a string');
    if (this.bytes[at + 1] !== LETTER_U) return at + 2;
    const unit = this.codeUnit(at);
    if (unit === 0) throw malformed('invalid_unicode', 'must not contain NUL characters');
    if (unit < 0xd800 || unit > 0xdfff) return at + 6;
    if (unit > 0xdbff || !this.isLowSurrogate(at + 6))
      throw malformed('invalid_unicode', 'must not contain halves of surrogate pairs');
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

  private key(start: number, end: number, escaped: boolean): void {
    const written = this.bytes.toString('utf8', start, end);
    const key = escaped ? unescaped(written) : written;
    const seen = this.open.at(-1);
    if (FORBIDDEN_KEYS.has(key)) throw malformed('forbidden_key', `must not have the key ${key}`);
    if (seen?.has(key)) throw malformed('duplicate_key', 'must not have a key twice in one object');
    seen?.add(key);
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

const malformed = (code: string, message: string): Refusal =>
  new Refusal('malformed_json', [{ field: '', code, message }], `The body ${message}.`);
