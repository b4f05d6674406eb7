import { decodeTransfer } from './decode-transfer.js';
import { delimitedParts, type PartWalk } from './delimited-parts.js';
import type { Problem } from './mailbox.js';
import { readPartHead, type PartHead } from './read-part-head.js';
import { parameterReadings, readStructuredValue } from './read-structured-value.js';

/** A part that readers show as a file: it has a name, or says that it is attached. Not decoded yet. */
export interface FoundFile {
  /** Each name under which some reader shows it, decoded, the best first; none where it has none. Not safe as a path. */
  names: string[];
  /** `type/subtype` in lower case as the sender claims; '' where he claims nothing. */
  contentType: string;
  /** For `decodeTransfer`, with `encoded`, a view of the message. */
  encoding: string;
  encoded: Buffer;
}

/** Leaves and containers alike. */
const MAX_PARTS = 200;
const MAX_DEPTH = 20;
const MAX_FIELDS = 1_000;
/** Honest mail has one name in two spellings. */
const MAX_NAMES = 4;
const PLAIN = new Set(['', '7bit', '8bit', 'binary']);
const ENCODINGS = new Set([...PLAIN, 'base64', 'quoted-printable']);
const MESSAGES = new Set(['message/rfc822', 'message/global']);
/** Other programs than readers make something of these fields, so each may be given once. */
const ONCE = ['content-type', 'content-transfer-encoding', 'content-disposition'];
/** RFC 8551 §3.5.3 and RFC 3156 §5: what the second part of a signed mail is, and how it begins. */
const SIGNATURES: Record<string, (content: Buffer) => boolean> = {
  'application/pkcs7-signature': (content) => content[0] === 0x30,
  'application/x-pkcs7-signature': (content) => content[0] === 0x30,
  'application/pgp-signature': (content) =>
    /^\s*-----BEGIN PGP (SIGNATURE|MESSAGE)-----/.test(content.toString('latin1')),
};
const MAX_SIGNATURE = 64 * 1024;
/** The pad, and blank lines behind it. */
const MAX_BASE64_TAIL = 1_000;

/** What ends the walk, in words. */
class Unreadable extends Error {}

interface Walk extends PartWalk {
  parts: number;
  files: FoundFile[];
}

interface Entity {
  head: PartHead;
  value: (name: string) => string;
  type: string;
  encoding: string;
}

/** Where an entity stands in the message. */
interface Place {
  depth: number;
  /** The type that a signature has here; '' where none is expected. */
  signature: string;
}

/**
 * Finds the files of a submitted message, those of forwarded messages too. Strict where readers differ in what they would
 * find: such a message is refused (554 5.6.0), since one of them may show a file that nobody judged. Linear.
 */
export function findFiles(message: Buffer): FoundFile[] | Problem {
  const walk: Walk = { parts: 0, files: [], lookalikes: 0, truncated: false };
  try {
    visit(walk, message, { depth: 0, signature: '' });
  } catch (error) {
    if (error instanceof Unreadable) return { problem: `message ${error.message}` };
    throw error;
  }
  return walk.files;
}

function visit(walk: Walk, entity: Buffer, place: Place): void {
  walk.parts += 1;
  if (walk.parts > MAX_PARTS) throw new Unreadable(`has more than ${MAX_PARTS} parts`);
  if (place.depth > MAX_DEPTH) throw new Unreadable(`has parts more than ${MAX_DEPTH} levels deep`);
  const opened = open(entity);
  const { type } = opened;
  if (type === 'message/partial') throw new Unreadable('is a piece of another one, which cannot be judged alone');
  // One with a name is a file beside its parts: readers that find no boundary in it show it as one.
  if (type.startsWith('multipart/')) visitParts(walk, opened, place.depth);
  const isFile = takeFile(walk, opened, place);
  if (!isFile && MESSAGES.has(type)) visitMessage(walk, opened, place.depth);
}

/** True if the entity is a file, or the signature of one. */
function takeFile(walk: Walk, entity: Entity, place: Place): boolean {
  const names = namesOf(entity);
  if (names.length === 0 && firstToken(entity.value('content-disposition')) !== 'attachment') return false;
  const file = { names, contentType: entity.type, encoding: entity.encoding, encoded: entity.head.body };
  if (!ENCODINGS.has(file.encoding)) throw new Unreadable('has a file in an unknown Content-Transfer-Encoding');
  if (file.encoding === 'base64') requireOneReading(file.encoded);
  if (!isSignature(file, place)) walk.files.push(file);
  return true;
}

function open(entity: Buffer): Entity {
  const head = readPartHead(entity);
  if (head.truncated || head.fields.length > MAX_FIELDS) throw new Unreadable('has a part with too many headers');
  const repeated = ONCE.find((name) => head.fields.filter(([other]) => other === name).length > 1);
  if (repeated) throw new Unreadable(`has a part with more than one ${repeated}`);
  const value = (name: string): string => head.fields.find(([other]) => other === name)?.[1] ?? '';
  return {
    head,
    value,
    type: firstToken(value('content-type')),
    encoding: firstToken(value('content-transfer-encoding')),
  };
}

function visitParts(walk: Walk, entity: Entity, depth: number): void {
  requirePlain(entity);
  const contentType = entity.value('content-type');
  const [boundary, another] = parameterReadings(contentType, 'boundary') ?? [];
  if (boundary === undefined || another !== undefined) throw new Unreadable('has a multipart without one boundary');
  const protocol =
    entity.type === 'multipart/signed' ? readStructuredValue(contentType).parameters.get('protocol') : '';
  let index = 0;
  for (const part of delimitedParts(walk, entity.head.body, boundary)) {
    visit(walk, part, { depth: depth + 1, signature: index === 1 ? (protocol ?? '').toLowerCase() : '' });
    index += 1;
  }
  if (walk.truncated) throw new Unreadable('has too many lines that look like a boundary');
}

function visitMessage(walk: Walk, entity: Entity, depth: number): void {
  requirePlain(entity);
  visit(walk, entity.head.body, { depth: depth + 1, signature: '' });
}

/**
 * RFC 2045 §6.4: what has parts is not encoded as a whole; some readers decode it all the same. And not every reader sees
 * a type behind a comment, or with blanks in it.
 */
function requirePlain({ type, encoding, value }: Entity): void {
  if (value('content-type').split(';', 1)[0].trim().toLowerCase() !== type)
    throw new Unreadable(`has a ${type} part whose type is not all that is written`);
  if (!PLAIN.has(encoding)) throw new Unreadable(`has a ${type} part with a Content-Transfer-Encoding`);
}

function namesOf({ value }: Entity): string[] {
  const readings = [
    parameterReadings(value('content-disposition'), 'filename'),
    parameterReadings(value('content-type'), 'name'),
  ];
  const names = new Set(readings.flatMap((found) => found ?? []));
  if (readings.includes(null) || names.size > MAX_NAMES) throw new Unreadable('has a file with too many names');
  return [...names];
}

/** The first word of a value in lower case, without comments (RFC 5322 §3.2.2) and parameters. */
function firstToken(value: string): string {
  const word = value.split(';', 1)[0].replace(/\([^()]*\)/g, '');
  return word
    .split('(', 1)[0]
    .replace(/\s*\/\s*/, '/')
    .trim()
    .toLowerCase();
}

/** What stands behind the pad of base64 some readers decode and others do not. */
function requireOneReading(encoded: Buffer): void {
  const pad = encoded.indexOf('=');
  const tail = pad < 0 ? '' : encoded.toString('latin1', pad, pad + MAX_BASE64_TAIL);
  if (pad >= 0 && (pad + tail.length < encoded.length || !/^={1,2}\s*$/.test(tail)))
    throw new Unreadable('has a file whose base64 goes on behind its end');
}

/** The signature of a signed mail is no file, though most programs give it a name. */
function isSignature({ contentType, encoding, encoded }: FoundFile, { signature }: Place): boolean {
  if (contentType !== signature || !Object.hasOwn(SIGNATURES, contentType) || encoded.length > MAX_SIGNATURE)
    return false;
  return SIGNATURES[contentType](decodeTransfer(encoded, encoding));
}
