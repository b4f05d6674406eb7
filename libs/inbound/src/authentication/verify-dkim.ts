import { readMessageHead, type HeaderField } from '#libs/mime';
import type { ReportDns } from './report-dns.js';

/** Larger messages are not verified, since hashing a body takes time. */
const MAX_MESSAGE = 1024 * 1024;
/** Bounds on what the verifier parses; its work grows with the square of some of them. */
const MAX_LINES = 1_000;
const MAX_FIELD = 8 * 1024;
const MAX_SIGNATURE = 4 * 1024;
const MAX_SIGNATURES = 4;
/** RFC 8301 §3.1: signatures with SHA-1 prove nothing. */
const ALGORITHMS = new Set(['rsa-sha256', 'ed25519-sha256']);
const SIGNATURE = 'dkim-signature';
const LF = 0x0a;
/** SMTP has none (RFC 5321 §2.3.8), and the verifier would handle each line of the message on its own. */
const BARE_LF = /(?<!\r)\n/;

/** The signing domain of a valid signature, or why there is none. */
export type DkimResult = { domain: string } | { problem: string };

/**
 * Verifies the DKIM signatures (RFC 6376) of the domains that `isWanted` selects. A signature counts if it covers the whole
 * body and is aligned with the only From address (RFC 7489 §3.1.1, relaxed). Never rejects.
 */
export async function verifyDkim(
  message: Buffer,
  isWanted: (domain: string) => boolean,
  dns: ReportDns,
): Promise<DkimResult> {
  const signed = withSignaturesOf(message, isWanted);
  if ('problem' in signed) return signed;
  try {
    // Loaded on first use: its packages would delay every start.
    const { dkimVerify } = await import('mailauth/lib/dkim/verify.js');
    const { headerFrom, results } = await dkimVerify(signed.message, { resolver: (name) => keyRecords(dns, name) });
    if (headerFrom.length !== 1) return { problem: 'not exactly one From address' };
    const valid = results.find(({ status }) => status.result === 'pass' && Boolean(status.aligned));
    return valid ? { domain: valid.signingDomain } : { problem: problemOf(results.at(0)?.status) };
  } catch {
    return { problem: 'a signature cannot be read' };
  }
}

function problemOf(status: { result: string } | undefined): string {
  return status?.result === 'pass' ? 'not aligned with From' : (status?.result ?? 'none');
}

/** The message with the selected signatures alone; other signatures, and ARC, would cost time and DNS questions. */
function withSignaturesOf(
  message: Buffer,
  isWanted: (domain: string) => boolean,
): { message: Buffer } | { problem: string } {
  if (message.length > MAX_MESSAGE) return { problem: 'the message is too large' };
  if (BARE_LF.test(message.toString('latin1'))) return { problem: 'the message has bare line feeds' };
  const head = readMessageHead(message);
  if ('problem' in head) return { problem: 'the header is malformed' };
  const { fields, bodyOffset } = head;
  const octets = message.subarray(0, bodyOffset);
  if (countLines(octets) > MAX_LINES || fields.some(({ start, end }) => end - start > MAX_FIELD))
    return { problem: 'the header is too large' };
  const signatures = fields
    .filter((field) => field.key === SIGNATURE && isUsable(field, isWanted))
    .slice(0, MAX_SIGNATURES);
  if (signatures.length === 0) return { problem: 'no signature of them' };
  const kept = fields.filter((field) =>
    field.key === SIGNATURE ? signatures.includes(field) : !field.key.startsWith('arc-'),
  );
  const pieces = kept.map(({ start, end }) => message.subarray(start, end));
  return { message: Buffer.concat([...pieces, Buffer.from('\r\n'), message.subarray(bodyOffset)]) };
}

/** A signature with `l=` leaves room for other text after the signed body (RFC 6376 §8.2). */
function isUsable({ value, start, end }: HeaderField, isWanted: (domain: string) => boolean): boolean {
  if (end - start > MAX_SIGNATURE) return false;
  const tags = tagsOf(value);
  const signsFrom = (tags.get('h') ?? '').split(':').some((name) => name.trim().toLowerCase() === 'from');
  const algorithm = (tags.get('a') ?? '').toLowerCase();
  return !tags.has('l') && signsFrom && ALGORITHMS.has(algorithm) && isWanted((tags.get('d') ?? '').toLowerCase());
}

/** RFC 6376 §3.2. */
function tagsOf(value: string): Map<string, string> {
  return new Map(
    value.split(';').map((tag) => {
      const at = tag.indexOf('=');
      return [tag.slice(0, Math.max(at, 0)).trim().toLowerCase(), tag.slice(at + 1).trim()] as const;
    }),
  );
}

function countLines(octets: Buffer): number {
  let lines = 0;
  for (let at = octets.indexOf(LF); at >= 0; at = octets.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

/** In the form, and with the errors, of `resolve` of `node:dns`. */
async function keyRecords(dns: ReportDns, name: string): Promise<string[][]> {
  const answer = await dns.texts(name);
  if (answer.kind === 'found') return answer.values.map((value) => [value]);
  throw Object.assign(new Error(name), { code: answer.kind === 'none' ? 'ENOTFOUND' : 'ETIMEOUT' });
}
