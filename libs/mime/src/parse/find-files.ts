import type { Problem } from './mailbox.js';
import { partField } from './part-head.js';
import { MAX_DEPTH, MAX_PARTS, PartWalk, type Part, type WalkLimit } from './part-walk.js';
import { parameterReadings, readStructuredValue } from './structured-value.js';
import { decodeTransferEncoding } from './transfer-encoding.js';

/** A part that mail readers show as a file: it has a name, or says that it is attached. Not decoded yet. */
export interface FoundFile {
  /** Each name under which some reader shows it, decoded, the best first; empty where it has none. Not safe as a path. */
  names: string[];
  /** `type/subtype` in lower case as the sender claims; '' where the sender claims nothing. */
  contentType: string;
  /** For `decodeTransferEncoding`, together with `encoded`, which is a view of the message. */
  encoding: string;
  encoded: Buffer;
}

const MAX_FIELDS = 1_000;
/** Legitimate mail has one name in two spellings. */
const MAX_NAMES = 4;
const PLAIN = new Set(['', '7bit', '8bit', 'binary']);
const ENCODINGS = new Set([...PLAIN, 'base64', 'quoted-printable']);
const MESSAGES = new Set(['message/rfc822', 'message/global']);
/** Programs other than mail readers interpret these fields, so each may be given once. */
const ONCE = ['content-type', 'content-transfer-encoding', 'content-disposition'];
/** The second part of a signed mail (RFC 8551 §3.5.3, RFC 3156 §5), and how its content begins. */
const SIGNATURES: Record<string, (content: Buffer) => boolean> = {
  'application/pkcs7-signature': (content) => content[0] === 0x30,
  'application/x-pkcs7-signature': (content) => content[0] === 0x30,
  'application/pgp-signature': (content) =>
    /^\s*-----BEGIN PGP (SIGNATURE|MESSAGE)-----/.test(content.toString('latin1')),
};
const MAX_SIGNATURE = 64 * 1024;
/** The padding, and blank lines after it. */
const MAX_BASE64_TAIL = 1_000;
const LIMIT_PROBLEMS: Record<WalkLimit, string> = {
  parts: `has more than ${MAX_PARTS} parts`,
  depth: `has parts more than ${MAX_DEPTH} levels deep`,
  lookalikes: 'has too many lines that look like a boundary',
};

/** Ends the walk; the message completes the sentence "message …". */
class Unreadable extends Error {}

interface Entity extends Part {
  type: string;
  encoding: string;
}

/**
 * Finds the files of a submitted message, including those of forwarded messages. Strict where mail readers differ in the
 * files that they would find: such a message is refused (554 5.6.0), because one of them may show a file that was never
 * checked. Linear.
 */
export function findFiles(message: Buffer): FoundFile[] | Problem {
  const files: FoundFile[] = [];
  const walk = new PartWalk(
    (part) => visit(walk, part, files),
    (limit) => {
      throw new Unreadable(LIMIT_PROBLEMS[limit]);
    },
  );
  try {
    walk.run(message);
  } catch (error) {
    if (error instanceof Unreadable) return { problem: `message ${error.message}` };
    throw error;
  }
  return files;
}

function visit(walk: PartWalk, part: Part, files: FoundFile[]): void {
  const entity = readEntity(part);
  const { type } = entity;
  if (type === 'message/partial') throw new Unreadable('is a piece of another one, which cannot be judged alone');
  // A multipart with a name is a file beside its parts: readers that find no boundary in it show it as one.
  if (type.startsWith('multipart/')) visitParts(walk, entity);
  const isFile = takeFile(entity, files);
  if (!isFile && MESSAGES.has(type)) {
    requirePlain(entity);
    walk.intoMessage(entity);
  }
}

/** True if the entity is a file, or the signature of one. */
function takeFile(entity: Entity, files: FoundFile[]): boolean {
  const names = namesOf(entity);
  if (names.length === 0 && firstToken(partField(entity.head, 'content-disposition')) !== 'attachment') return false;
  const file = { names, contentType: entity.type, encoding: entity.encoding, encoded: entity.head.body };
  if (!ENCODINGS.has(file.encoding)) throw new Unreadable('has a file in an unknown Content-Transfer-Encoding');
  if (file.encoding === 'base64') requireOneReading(file.encoded);
  if (!isSignature(file, entity)) files.push(file);
  return true;
}

function readEntity(part: Part): Entity {
  const { head } = part;
  if (head.truncated || head.fields.length > MAX_FIELDS) throw new Unreadable('has a part with too many headers');
  const repeated = ONCE.find((name) => head.fields.filter(([other]) => other === name).length > 1);
  if (repeated) throw new Unreadable(`has a part with more than one ${repeated}`);
  return {
    ...part,
    type: firstToken(partField(head, 'content-type')),
    encoding: firstToken(partField(head, 'content-transfer-encoding')),
  };
}

function visitParts(walk: PartWalk, entity: Entity): void {
  requirePlain(entity);
  const [boundary, another] = parameterReadings(partField(entity.head, 'content-type'), 'boundary') ?? [];
  if (boundary === undefined || another !== undefined) throw new Unreadable('has a multipart without one boundary');
  walk.intoParts(entity, boundary);
}

/**
 * A container is not encoded as a whole (RFC 2045 §6.4); some readers decode it all the same. And not every reader
 * recognises a type after a comment, or with spaces in it.
 */
function requirePlain({ type, encoding, head }: Entity): void {
  if (partField(head, 'content-type').split(';', 1)[0].trim().toLowerCase() !== type)
    throw new Unreadable(`has a ${type} part whose type is not all that is written`);
  if (!PLAIN.has(encoding)) throw new Unreadable(`has a ${type} part with a Content-Transfer-Encoding`);
}

function namesOf({ head }: Entity): string[] {
  const readings = [
    parameterReadings(partField(head, 'content-disposition'), 'filename'),
    parameterReadings(partField(head, 'content-type'), 'name'),
  ];
  const names = new Set(readings.flatMap((found) => found ?? []));
  if (readings.includes(null) || names.size > MAX_NAMES) throw new Unreadable('has a file with too many names');
  return [...names];
}

/** The first word of a value in lower case, without comments (RFC 5322 §3.2.2) and parameters. */
function firstToken(value: string): string {
  const word = value.split(';', 1)[0].replace(/\([^()]*\)/g, '');
  const token = word.split('(', 1)[0].trim().toLowerCase();
  const slash = token.indexOf('/');
  // Trimmed, not matched: an expression with spaces on both sides of the slash is quadratic in a run of spaces.
  return slash < 0 ? token : `${token.slice(0, slash).trimEnd()}/${token.slice(slash + 1).trimStart()}`;
}

/** Some readers decode the text after the padding of base64 and others do not. */
function requireOneReading(encoded: Buffer): void {
  const padding = encoded.indexOf('=');
  const tail = padding < 0 ? '' : encoded.toString('latin1', padding, padding + MAX_BASE64_TAIL);
  if (padding >= 0 && (padding + tail.length < encoded.length || !/^={1,2}\s*$/.test(tail)))
    throw new Unreadable('has a file whose base64 goes on behind its end');
}

/** The signature of a signed mail is not a file, though most programs give it a name. */
function isSignature({ contentType, encoding, encoded }: FoundFile, part: Part): boolean {
  if (!Object.hasOwn(SIGNATURES, contentType) || encoded.length > MAX_SIGNATURE) return false;
  return contentType === expectedSignature(part) && SIGNATURES[contentType](decodeTransferEncoding(encoded, encoding));
}

/** The protocol of a `multipart/signed`, for its second part (RFC 1847 §2.1); '' where no signature is expected. */
function expectedSignature({ index, parent }: Part): string {
  const contentType = index === 1 && parent !== null ? partField(parent.head, 'content-type') : '';
  if (firstToken(contentType) !== 'multipart/signed') return '';
  return readStructuredValue(contentType).parameters.get('protocol')?.toLowerCase() ?? '';
}
