import type { Mailbox } from '../parse/mailbox.js';

/*
 * Header fields as bytes on the wire: encoded words (RFC 2047), quoted names, folding.
 *
 * Invariants: readers see exactly the text that the caller gave, so text that merely looks like an encoded word is encoded
 * too; no encoded word is over 75 characters or splits a character; lines have 76 octets if possible and never over 998.
 */

/** RFC 2047 §2, for lines with encoded words; RFC 5322 §2.1.1 allows 78 in others. Without the CRLF. */
const SOFT_LINE = 76;
const HARD_LINE = 998;
/** A token longer than this would need a line near the hard limit of 998 octets. */
const MAX_TOKEN = 900;
/** 52 encoded characters and 12 of the frame fit after `Reply-To: ` into a line of 76. */
const WORD_PAYLOAD = 52;
const MAX_QUOTED_NAME = 60;

const SPACE = /[ \t]/;
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/;
const NOT_ATOMS = /[^A-Za-z0-9!#$%&'*+\-/=?^_`{|}~ ]/;
const Q_LITERAL = /[A-Za-z0-9!*+\-/]/; // the set that is also safe inside a phrase, RFC 2047 §5 (3)

/** Fields of addresses (RFC 5322 §3.6, RFC 8098 §2.1 and unregistered ones), and the list id (RFC 2919 §3). */
const PHRASED = new Set(
  (
    'from sender reply-to to cc bcc resent-from resent-sender resent-reply-to resent-to resent-cc resent-bcc ' +
    'disposition-notification-to return-receipt-to errors-to mail-followup-to mail-reply-to list-id'
  ).split(' '),
);
const LISTS_OF_IDS = new Set(['references', 'in-reply-to']);
/** Header fields whose grammar allows free text in comments only. */
const STRUCTURED = new Set(
  (
    'in-reply-to references feedback-id auto-submitted precedence importance ' +
    'message-id date mime-version content-id content-transfer-encoding'
  ).split(' '),
);

/** True for fields of names with addresses, of which only the names may be encoded words (RFC 2047 §5). */
export function hasPhrases(name: string): boolean {
  return PHRASED.has(name.toLowerCase());
}

/** True for fields with a grammar of their own, which are sent as they are. */
export function isStructured(name: string): boolean {
  const key = name.toLowerCase();
  return STRUCTURED.has(key) || key.startsWith('list-') || hasPhrases(key);
}

/** A field of free text, folded and ended by CRLF. */
export function textField(name: string, value: string): string {
  return foldField(name, isPlain(value) ? splitAtSpaces(value) : encodedWords(value));
}

/** A field with a grammar of its own, folded at its spaces, and between ids. */
export function structuredField(name: string, value: string): string {
  if (name.length + 2 + value.length <= SOFT_LINE && !SPACE.test(value)) return `${name}: ${value}\r\n`;
  return foldField(name, splitAtSpaces(spacedIds(name, value)));
}

/** A field whose value is the same, octet by octet, after unfolding, except for white space around it. */
export function foldedField(name: string, value: string): string {
  return fold(name, ` ${value.trim()}`.split(/(?<=[^ \t])(?=[ \t])/));
}

/** A field with a list of mailboxes, folded between and inside them. */
export function mailboxField(name: string, mailboxes: Mailbox[]): string {
  const tokens = mailboxes.flatMap((mailbox, index) => {
    const own = mailboxTokens(mailbox);
    if (index < mailboxes.length - 1) own[own.length - 1] += ',';
    return own;
  });
  return foldField(name, tokens);
}

/** True where the value of a structured field has a token that is too long for the line limit. */
export function cannotFold(name: string, value: string): boolean {
  return splitAtSpaces(spacedIds(name, value)).some((token) => token.length > MAX_TOKEN);
}

/** White space between message ids is optional (RFC 5322 §3.6.4). */
function spacedIds(name: string, value: string): string {
  return LISTS_OF_IDS.has(name.toLowerCase()) ? value.replaceAll('><', '> <') : value;
}

/** RFC 5322 §3.3; the zone is always written as an offset. */
export function rfc5322Date(date: Date): string {
  return `${date.toUTCString().slice(0, -'GMT'.length)}+0000`;
}

/** The id with its angle brackets. */
export function bracketed(messageId: string): string {
  return messageId.startsWith('<') ? messageId : `<${messageId}>`;
}

function mailboxTokens({ name, address }: Mailbox): string[] {
  if (name === '') return [address];
  return [...nameTokens(name), `<${address}>`];
}

function nameTokens(name: string): string[] {
  if (!isPlain(name) || name.length > MAX_QUOTED_NAME) return encodedWords(name);
  if (!NOT_ATOMS.test(name)) return splitAtSpaces(name);
  return [`"${name.replace(/["\\]/g, '\\$&')}"`];
}

/** Printable ASCII that is unchanged by folding and unfolding, and that no reader takes for an encoded word. */
function isPlain(text: string): boolean {
  if (NOT_PRINTABLE_ASCII.test(text) || text.includes('=?')) return false;
  if (text.startsWith(' ') || text.endsWith(' ') || text.includes('  ')) return false;
  return splitAtSpaces(text).every((token) => token.length <= MAX_TOKEN);
}

function splitAtSpaces(text: string): string[] {
  return text.split(/[ \t]/).filter((token) => token !== '');
}

function foldField(name: string, tokens: string[]): string {
  return fold(
    name,
    tokens.map((token) => ` ${token}`),
  );
}

/** Each token begins with white space, before which the line can be folded. */
function fold(name: string, tokens: string[]): string {
  let field = `${name}:`;
  let width = field.length;
  for (const token of tokens) {
    const wide = width + token.length;
    const pointless = width === name.length + 1 && token.length > SOFT_LINE && wide <= HARD_LINE;
    if (wide > SOFT_LINE && !pointless) {
      field += '\r\n';
      width = 0;
    }
    field += token;
    width += token.length;
  }
  return `${field}\r\n`;
}

/** RFC 2047 words in UTF-8, base64 or Q, whichever is shorter. A lone surrogate becomes U+FFFD. */
export function encodedWords(text: string): string[] {
  const base64Length = Math.ceil(Buffer.byteLength(text) / 3) * 4;
  let quotedLength = 0;
  const quoted: string[] = [];
  for (const character of text) {
    const code = quoteCharacter(character);
    quoted.push(code);
    quotedLength += code.length;
  }
  return quotedLength <= base64Length ? quotedWords(quoted) : base64Words(text);
}

function quotedWords(codes: string[]): string[] {
  const words: string[] = [];
  let payload = '';
  for (const code of codes) {
    if (payload.length + code.length > WORD_PAYLOAD) {
      words.push(`=?UTF-8?Q?${payload}?=`);
      payload = '';
    }
    payload += code;
  }
  words.push(`=?UTF-8?Q?${payload}?=`);
  return words;
}

function base64Words(text: string): string[] {
  const limit = (WORD_PAYLOAD / 4) * 3;
  const words: string[] = [];
  let piece = '';
  let octets = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (octets + size > limit) {
      words.push(base64Word(piece));
      piece = '';
      octets = 0;
    }
    piece += character;
    octets += size;
  }
  words.push(base64Word(piece));
  return words;
}

function base64Word(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}

/** Makes a function that writes the octets of a character in hexadecimal, each behind `mark`, unless it is `literal`. */
export function octetEncoder(mark: '=' | '%', literal: RegExp): (character: string) => string {
  const encode = (character: string): string => {
    if (literal.test(character)) return character;
    let code = '';
    for (const octet of Buffer.from(character)) code += mark + octet.toString(16).toUpperCase().padStart(2, '0');
    return code;
  };
  // Most text is ASCII, and a look-up takes a tenth of the time.
  const ascii = Array.from({ length: 128 }, (_, code) => encode(String.fromCharCode(code)));
  return (character) => ascii.at(character.charCodeAt(0)) ?? encode(character);
}

const quoteOctets = octetEncoder('=', Q_LITERAL);
const quoteCharacter = (character: string): string => (character === ' ' ? '_' : quoteOctets(character));
