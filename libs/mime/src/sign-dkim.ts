import { availableParallelism } from 'node:os';
import { createHash, sign } from 'node:crypto';
import type { DkimKey } from './dkim-key.js';
import { relaxedBodyHash } from './relaxed-body-hash.js';
import type { RelaxedHead } from './relaxed-head.js';
import { relaxedField, relaxedHead } from './relaxed-head.js';

/**
 * Every name stands in h= once more than it occurs (RFC 6376 §5.4.2), so a field pasted on top later breaks the signature
 * instead of being shown under it. RFC 8058 §4 wants both List-Unsubscribe fields covered.
 */
const PROTECTED = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'in-reply-to',
  'references',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
  'x-postloft-ref',
];
const LINE = 78;

/** A message whose first fields are not joined with the rest: a large body is not copied to be signed. */
export interface FrontedMessage {
  /** Whole fields, each ended by CRLF. */
  front: Buffer;
  rest: Buffer;
}

/**
 * Signs a finished message (CRLF line ends; nothing but dot stuffing may touch it afterwards) with every key, relaxed/relaxed
 * and without `l=`. Gives the `DKIM-Signature:` fields that belong directly in front of the message; empty without keys.
 *
 * RFC 6376, 8301, 8463. RSA signatures are made in the thread pool; body hash and header canonicalisation once for all.
 * @throws what node:crypto throws for a key that does not fit its algorithm.
 */
export async function signDkim(message: Buffer | FrontedMessage, keys: DkimKey[], at: Date): Promise<Buffer> {
  if (keys.length === 0) return Buffer.alloc(0);
  const { front, rest } = Buffer.isBuffer(message) ? { front: undefined, rest: message } : message;
  const head = relaxedHead(rest, front);
  const bodyHash = relaxedBodyHash(rest.subarray(head.bodyOffset));
  const names = signedNames(head);
  const fields = signedFields(head);
  const time = Math.floor(at.getTime() / 1000);
  const signatures = keys.map(async (key) => {
    const tags = [
      'v=1',
      `a=${key.algorithm}`,
      'c=relaxed/relaxed',
      `d=${key.domain}`,
      `s=${key.selector}`,
      `t=${time}`,
      `h=${names}`,
      `bh=${bodyHash}`,
      'b=',
    ];
    const field = foldTags(tags);
    const own = relaxedField('dkim-signature', field.slice(field.indexOf(':') + 1));
    const signature = await signData(key, Buffer.from(fields + own, 'latin1'));
    return appendSignature(field, signature.toString('base64'));
  });
  return Buffer.from((await Promise.all(signatures)).join(''), 'latin1');
}

function signedNames({ occurrences }: RelaxedHead): string {
  return PROTECTED.flatMap((name) => Array<string>((occurrences.get(name)?.length ?? 0) + 1).fill(name)).join(':');
}

/** The canonical fields in the order of h=; repeated fields from the bottom up (RFC 6376 §5.4.2). */
function signedFields({ occurrences }: RelaxedHead): string {
  let data = '';
  for (const name of PROTECTED) {
    const fields = occurrences.get(name) ?? [];
    for (let index = fields.length - 1; index >= 0; index -= 1) data += `${fields[index]}\r\n`;
  }
  return data;
}

async function signData(key: DkimKey, data: Buffer): Promise<Buffer> {
  // RFC 8463 §3: Ed25519 signs the SHA-256 of the data, RSA has the hash inside its own scheme. It takes 0.03 ms, less
  // than the way to the thread pool and back.
  if (key.algorithm === 'ed25519-sha256') return sign(null, createHash('sha256').update(data).digest(), key.privateKey);
  await signing.enter();
  try {
    return await new Promise((resolve, reject) => {
      sign('sha256', data, key.privateKey, (error, signature) => {
        if (error) reject(error);
        else resolve(signature);
      });
    });
  } finally {
    signing.leave();
  }
}

/**
 * Two signatures per core at a time: a crowd of signing threads would take the processor from the event loop, but with
 * fewer the thread pool stands idle until the loop comes round to hand it the next one (half the mails per second).
 */
const signing = {
  free: 2 * availableParallelism(),
  waiting: [] as (() => void)[],
  async enter(): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  },
  leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  },
};

/** `DKIM-Signature: tag; tag; …` without a final line end. h= may be folded at its colons, bh= is short. */
function foldTags(tags: string[]): string {
  let field = 'DKIM-Signature:';
  let width = field.length;
  const put = (piece: string, gap: string) => {
    if (width + gap.length + piece.length > LINE) {
      field += `\r\n\t${piece}`;
      width = 1 + piece.length;
    } else {
      field += gap + piece;
      width += gap.length + piece.length;
    }
  };
  for (const [index, tag] of tags.entries()) {
    const text = index < tags.length - 1 ? `${tag};` : tag;
    const pieces = tag.startsWith('h=') ? text.split(/(?<=:)/) : [text];
    for (const [part, piece] of pieces.entries()) put(piece, part === 0 ? ' ' : '');
  }
  return field;
}

/** Verifiers drop white space inside b= together with its value (RFC 6376 §3.5, §3.7). */
function appendSignature(field: string, signature: string): string {
  const lastLine = field.length - field.lastIndexOf('\n') - 1;
  const room = Math.max(LINE - lastLine, 0);
  const rest = signature.slice(room).match(new RegExp(`.{1,${LINE - 1}}`, 'g')) ?? [];
  return `${[field + signature.slice(0, room), ...rest].join('\r\n\t')}\r\n`;
}
