import { decodeQuotedPrintable } from './transfer-encoding.js';

/* Decoding of encoded words (RFC 2047). Linear: each character is read a few times at most. */

interface EncodedWord {
  charset: string;
  bytes: Buffer;
  /** Just after the closing `?=`. */
  end: number;
}

const MAX_CHARSET = 60;
/** 0x80 to 0x9F; the five unassigned ones remain control characters. */
const WINDOWS_1252 = [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'];
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;

/**
 * Decodes the encoded words of an unfolded header value; all other text stays. Adjacent words of one charset are joined as
 * bytes first, because many senders split characters. Decoded control characters become spaces, so that the value can be
 * used in a log line or a header.
 */
export function decodeEncodedWords(text: string): string {
  let decoded = '';
  let plainFrom = 0;
  let pending: { charset: string; bytes: Buffer[] } | undefined;
  let search = 0;
  const flush = () => {
    if (pending) decoded += decodeBytes(Buffer.concat(pending.bytes), pending.charset);
    pending = undefined;
  };
  for (let at = text.indexOf('=?', search); at >= 0; at = text.indexOf('=?', search)) {
    const word = readWord(text, at);
    if (word === undefined) {
      search = at + 2;
      continue;
    }
    const between = text.slice(plainFrom, at);
    // White space between two encoded words belongs to the folding (RFC 2047 §6.2).
    if (!pending || !isBlank(between)) {
      flush();
      decoded += between;
    }
    if (pending && pending.charset !== word.charset) flush();
    if (pending) pending.bytes.push(word.bytes);
    else pending = { charset: word.charset, bytes: [word.bytes] };
    plainFrom = word.end;
    search = word.end;
  }
  flush();
  return blankControls(decoded + text.slice(plainFrom));
}

/** Replaces each control character and line separator by a space. */
export function blankControls(text: string): string {
  return text.replace(CONTROLS, ' ');
}

/** Decodes bytes of a named charset; of an unknown one as UTF-8 where valid, else as Latin-1. Never throws. */
export function decodeBytes(bytes: Buffer, charset: string): string {
  try {
    const decoder = new TextDecoder(charset);
    // Node 20 decodes windows-1252, and all its aliases such as iso-8859-1, as plain Latin-1.
    return decoder.encoding === 'windows-1252' ? decodeWindows1252(bytes) : decoder.decode(bytes);
  } catch {
    const text = bytes.toString('utf8');
    return text.includes('\ufffd') ? bytes.toString('latin1') : text;
  }
}

function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]);
}

function readWord(text: string, at: number): EncodedWord | undefined {
  const charsetEnd = text.indexOf('?', at + 2);
  if (charsetEnd < 0 || charsetEnd === at + 2 || charsetEnd - at > MAX_CHARSET || text[charsetEnd + 2] !== '?') {
    return undefined;
  }
  const encoding = text[charsetEnd + 1].toUpperCase();
  if (encoding !== 'B' && encoding !== 'Q') return undefined;
  const close = text.indexOf('?', charsetEnd + 3);
  if (close < 0 || text[close + 1] !== '=') return undefined;
  const content = text.slice(charsetEnd + 3, close);
  // RFC 2231 §5: a language may follow the charset after an asterisk.
  const charset = text
    .slice(at + 2, charsetEnd)
    .split('*', 1)[0]
    .toLowerCase();
  return { charset, bytes: encoding === 'B' ? Buffer.from(content, 'base64') : quotedBytes(content), end: close + 2 };
}

/** RFC 2047 §4.2: as quoted-printable, with an underscore for each space. */
function quotedBytes(content: string): Buffer {
  return decodeQuotedPrintable(Buffer.from(content.replaceAll('_', ' '), 'latin1'));
}

function isBlank(text: string): boolean {
  for (const character of text) if (character !== ' ' && character !== '\t') return false;
  return true;
}
