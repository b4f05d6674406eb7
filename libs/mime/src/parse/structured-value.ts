import { decodeBytes } from './charsets.js';
import { blankControls, decodeEncodedWords } from './encoded-words.js';

/** A header value such as `text/plain; charset=utf-8`: first word in lower case, parameters by lower-case name, decoded. */
export interface StructuredValue {
  value: string;
  parameters: Map<string, string>;
}

interface Piece {
  index: number;
  /** One of several sections of a value (RFC 2231 §3). */
  section: boolean;
  text: string;
  quoted: boolean;
  encoded: boolean;
}

const MAX_PARAMETERS = 200;
/** RFC 5322 §3.2.2, without comments inside comments. */
const COMMENT = /\([^()]*\)/g;
const WHOLLY_QUOTED = /^"(?:[^"\\]|\\[^])*"\s*(?:\([^()]*\)\s*)?$/;
const PERCENT = /%([0-9A-Fa-f]{2})/g;
/** RFC 2231: `name`, `name*`, `name*0`, `name*0*`. */
const PARAMETER_NAME = /^([^*]+)(?:\*(\d{1,4}))?(\*)?$/;

/** Reads a value with parameters (RFC 2045 §5.1, RFC 2231), also a malformed one. Linear; never throws. */
export function readStructuredValue(text: string): StructuredValue {
  const { head, pieces } = readPieces(text);
  const parameters = new Map([...pieces].map(([name, all]) => [name, joinPieces(all)]));
  return { value: head.trim().toLowerCase(), parameters };
}

/**
 * Every text that some mail reader takes for the value of a parameter, the best first: with RFC 2231 and without, the first
 * and the last of several. Null where readers disagree on where the parameters begin and end.
 */
export function parameterReadings(text: string, name: string): string[] | null {
  const { pieces, truncated, broken } = readPieces(text);
  const all = pieces.get(name) ?? [];
  const sections = all.filter((piece) => piece.section);
  const encoded = all.filter((piece) => piece.encoded);
  if (truncated || !isWhole(sections) || encoded.length > Math.max(sections.length, 1)) return null;
  // Readers combine `name*=` and `name*0=` in different ways.
  if (sections.length > 0 && encoded.some((piece) => !piece.section)) return null;
  if (broken && text.toLowerCase().includes(name)) return null;
  const groups = [all, sections, encoded].filter((group) => group.length > 0);
  const alone = all.filter((piece) => !piece.section && !piece.encoded).map((piece) => decodeEncodedWords(piece.text));
  const readings = [...groups.map(joinPieces), ...alone];
  // Not every reader supports comments, and in `report (1).pdf` without quotes the parentheses are none. Quotes have none.
  const commented = all.every((piece) => piece.quoted) ? [] : readings.map(withoutComments);
  return [...new Set([...readings, ...commented])].filter((reading) => reading !== '');
}

const withoutComments = (text: string): string => text.replace(COMMENT, '').trim();

/** True where each section occurs once, from the first to the last. */
const isWhole = (sections: Piece[]): boolean =>
  sections.toSorted((a, b) => a.index - b.index).every((piece, i) => piece.index === i);

interface Pieces {
  head: string;
  pieces: Map<string, Piece[]>;
  truncated: boolean;
  /** A quotation mark does not enclose a whole value. */
  broken: boolean;
}

function readPieces(text: string): Pieces {
  const [head, ...assignments] = splitOutsideQuotes(text);
  const pieces = new Map<string, Piece[]>();
  let broken = false;
  for (const assignment of assignments.slice(0, MAX_PARAMETERS)) {
    const equals = assignment.indexOf('=');
    if (equals < 0) continue;
    const written = assignment.slice(equals + 1).trim();
    broken ||= written.includes('"') && !WHOLLY_QUOTED.test(written);
    const name = parameterName(assignment);
    if (!name) continue;
    const piece = {
      index: Number(name[2] ?? 0),
      section: name[2] !== undefined,
      text: unquote(written),
      quoted: written.startsWith('"'),
      encoded: name[3] !== undefined,
    };
    const others = pieces.get(name[1]);
    if (others) others.push(piece);
    else pieces.set(name[1], [piece]);
  }
  return { head, pieces, truncated: assignments.length > MAX_PARAMETERS, broken };
}

/** Match groups: the name without the suffixes of RFC 2231, the number of the section, the asterisk of encoded values. */
export function parameterName(assignment: string): RegExpExecArray | null {
  const [name] = assignment.split('=', 1);
  return PARAMETER_NAME.exec(name.replace(COMMENT, '').trim().toLowerCase());
}

/** Encoded pieces take precedence over a plain one, which senders add for old readers. */
function joinPieces(pieces: Piece[]): string {
  const encoded = pieces.some((piece) => piece.encoded);
  if (!encoded) {
    const sorted = pieces.toSorted((a, b) => a.index - b.index);
    const first = sorted.length > 1 && sorted[1].index === sorted[0].index ? sorted.slice(0, 1) : sorted;
    return decodeEncodedWords(first.map(({ text }) => text).join(''));
  }
  const sorted = pieces.filter((piece) => piece.encoded || piece.index > 0).toSorted((a, b) => a.index - b.index);
  const [charset = '', language, ...rest] = sorted[0].encoded
    ? sorted[0].text.split("'")
    : ['utf-8', '', sorted[0].text];
  const first = language === undefined ? sorted[0].text : rest.join("'");
  const bytes = sorted.map(({ text, encoded: percent }, index) =>
    percent ? percentBytes(index === 0 ? first : text) : Buffer.from(text),
  );
  return blankControls(decodeBytes(Buffer.concat(bytes), language === undefined ? 'utf-8' : charset));
}

function percentBytes(text: string): Buffer {
  const latin1 = Buffer.from(text).toString('latin1');
  return Buffer.from(
    latin1.replace(PERCENT, (_all, code: string) => String.fromCharCode(parseInt(code, 16))),
    'latin1',
  );
}

/** The text between semicolons that are not quoted. */
export function splitOutsideQuotes(text: string): string[] {
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '"') quoted = !quoted;
    else if (mark === '\\' && quoted) at += 1;
    else if (mark === ';' && !quoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  let plain = '';
  for (let at = 1; at < text.length && text[at] !== '"'; at += 1) {
    if (text[at] === '\\') at += 1;
    plain += text[at] ?? '';
  }
  return plain;
}
