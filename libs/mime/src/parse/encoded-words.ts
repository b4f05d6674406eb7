import { charsetName, decodeBytes, hasShiftStates } from './charsets.js';
import { decodeQuotedPrintable } from './transfer-encoding.js';

/* Decoding of encoded words (RFC 2047). Linear: each character is read a few times at most. */

interface EncodedWord {
  /** As `charsetName` returns it. */
  charset: string;
  bytes: Buffer;
  /** Just after the closing `?=`. */
  end: number;
}

const MAX_CHARSET = 60;
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;

/**
 * Decodes the encoded words of an unfolded header value; all other text stays. Adjacent words of one charset are joined as
 * bytes first, because many senders split characters, but not those of a charset with shift states, each of which begins in
 * ASCII (RFC 2047 §3). Decoded control characters become spaces, so that the value can be
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
    if (pending && (pending.charset !== word.charset || hasShiftStates(word.charset))) flush();
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
  const charset = charsetName(text.slice(at + 2, charsetEnd).split('*', 1)[0]);
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
