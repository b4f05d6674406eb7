import { LIMITS, parseTimestamp } from '#libs/contracts';
import { headerProblem, parseMailbox, type Mailbox } from '#libs/mime';
import { attachmentProblems } from './attachment-rules.js';
import { isRecord, type Rule, type RuleProblem } from './rule.js';

/**
 * The rules of a submission's fields (D-13…D-18) as pure functions over untrusted values. REST DTOs, SMTP, GraphQL and
 * the façade all call these, so a field means the same at every door.
 */
const none: RuleProblem[] = [];
const one = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];

// What the composer would refuse when the mail goes out: controls of both sets, line separators, halves of pairs.
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** A mailbox is read by its rule and again when the rule has passed; the same senders come with every mail. */
const READ_MAILBOXES = 1_000;
const READ_LENGTH = 320;
const read = new Map<string, ReturnType<typeof parseMailbox>>();

function readMailbox(text: string): ReturnType<typeof parseMailbox> {
  if (text.length > READ_LENGTH) return parseMailbox(text);
  const known = read.get(text);
  if (known) return known;
  if (read.size >= READ_MAILBOXES) read.clear();
  const parsed = Object.freeze(parseMailbox(text));
  read.set(text, parsed);
  return parsed;
}

export const fromRule: Rule = (value) => mailboxProblems(value, '');

/** 1–50 mailboxes, as one string (one mailbox) or as an array of strings. */
export const toRule: Rule = (value) => mailboxListProblems(value, 1);
export const ccRule: Rule = (value) => mailboxListProblems(value, 0);
export const bccRule: Rule = (value) => mailboxListProblems(value, 0);
export const replyToRule: Rule = (value) => mailboxListProblems(value, 0);

function mailboxProblems(value: unknown, path: string): RuleProblem[] {
  if (typeof value !== 'string')
    return one('invalid_type', 'must be a string such as "Name <address@example.com>"', path);
  const parsed = readMailbox(value);
  return 'problem' in parsed ? one('invalid_address', parsed.problem, path) : none;
}

function mailboxListProblems(value: unknown, min: number): RuleProblem[] {
  if (typeof value === 'string') return mailboxProblems(value, '');
  if (!Array.isArray(value)) return one('invalid_type', 'must be a string or an array of strings');
  if (value.length < min) return one('too_few', 'must have at least one address');
  if (value.length > LIMITS.recipientsPerField)
    return one('too_many', `must have at most ${LIMITS.recipientsPerField} addresses`);
  return value.flatMap((entry, i) => mailboxProblems(entry, `[${i}]`));
}

/** Mailboxes of a field that its rule has passed. */
export function mailboxes(value: string | string[] | undefined): Mailbox[] {
  const list = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return list.map((entry) => {
    const parsed = readMailbox(entry);
    if ('problem' in parsed) throw new Error('mailboxes() was called with a value that its rule refuses');
    return parsed;
  });
}

export const subjectRule: Rule = (value) => {
  if (typeof value !== 'string') return one('invalid_type', 'must be a string');
  if (value.length === 0 || value.length > LIMITS.subjectLength)
    return one('invalid_length', `must have 1 to ${LIMITS.subjectLength} characters`);
  return CONTROLS.test(value) ? one('invalid_characters', 'must not contain line breaks or control characters') : none;
};

/** html and text: any text without NUL and without halves of surrogate pairs. */
export const bodyRule: Rule = (value) => {
  if (typeof value !== 'string') return one('invalid_type', 'must be a string');
  if (value.includes('\0')) return one('invalid_characters', 'must not contain NUL characters');
  return /\p{Cs}/u.test(value) ? one('invalid_characters', 'must be valid Unicode') : none;
};

/** Custom headers by the composer's own rule (D-15), so that nothing accepted here fails when the message is built. */
export const headersRule: Rule = (value) => {
  if (!isRecord(value)) return one('invalid_type', 'must be an object of header names and values');
  const names = Object.keys(value);
  if (names.length > LIMITS.headerCount) return one('too_many', `must have at most ${LIMITS.headerCount} headers`);
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const repeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return repeated ? one('duplicate', 'must be given once', `.${name}`) : headerProblems(name, value[name]);
  });
};

// Narrower than RFC 5322 §3.6.8 (D-15).
const HEADER_NAME = /^[A-Za-z0-9-]+$/;

function headerProblems(name: string, value: unknown): RuleProblem[] {
  const path = `.${name}`;
  if (!HEADER_NAME.test(name)) return one('invalid_header', 'must have a name of letters, digits and "-"', path);
  if (typeof value !== 'string') return one('invalid_type', 'must be a string', path);
  if (Buffer.byteLength(value) > LIMITS.headerValueBytes)
    return one('too_long', `must have at most ${LIMITS.headerValueBytes} bytes`, path);
  const problem = headerProblem(name, value);
  return problem ? one('invalid_header', problem, path) : none;
}

const TAG_KEY = /^[A-Za-z0-9_.-]{1,50}$/;

/** Tags as an object, or as a list of `{name, value}` as other services have them; values up to `valueLength`. */
export const tagsRuleUpTo =
  (valueLength: number): Rule =>
  (value) => {
    if (!isRecord(value) && !Array.isArray(value)) return one('invalid_type', 'must be an object of keys and values');
    const pairs = tagPairs(value);
    if (pairs.length > LIMITS.tagCount) return one('too_many', `must have at most ${LIMITS.tagCount} tags`);
    const seen = new Set<unknown>();
    return pairs.flatMap(({ key, text, path }) => {
      const repeated = seen.has(key);
      seen.add(key);
      return repeated ? one('duplicate', 'must be given once', path) : tagProblems({ key, text, path }, valueLength);
    });
  };

export const tagsRule: Rule = tagsRuleUpTo(LIMITS.tagValueLength);

interface TagPair {
  key: unknown;
  text: unknown;
  path: string;
}

function tagPairs(value: object): TagPair[] {
  if (!Array.isArray(value))
    return Object.entries(value).map(([key, text]) => ({ key, text: text as unknown, path: `.${key}` }));
  return value.map((pair: unknown, i) => ({
    ...(isRecord(pair) ? { key: pair['name'], text: pair['value'] } : { key: undefined, text: undefined }),
    path: `[${i}]`,
  }));
}

function tagProblems({ key, text, path }: TagPair, valueLength: number): RuleProblem[] {
  if (typeof key !== 'string' || !TAG_KEY.test(key))
    return one('invalid_key', 'must have a key of 1 to 50 letters, digits, "_", "." or "-"', path);
  if (typeof text !== 'string') return one('invalid_type', 'must be a string', path);
  if (text.length > valueLength) return one('too_long', `must have at most ${valueLength} characters`, path);
  return CONTROLS.test(text) ? one('invalid_characters', 'must not contain control characters', path) : none;
}

/** Tags of a value that its rule has passed, as they are stored. */
export function tagsFrom(
  value: Record<string, string> | { name: string; value: string }[] | undefined,
): Record<string, string> {
  if (value === undefined) return {};
  return Array.isArray(value) ? Object.fromEntries(value.map((tag) => [tag.name, tag.value])) : value;
}

export const attachmentsRule: Rule = (value) => attachmentProblems(value);

/** ISO 8601 with an offset, at most 72 hours ahead; up to 60 seconds in the past mean now (D-3, D-17). */
export const scheduledAtRule: Rule = (value) => {
  const at = typeof value === 'string' ? parseTimestamp(value) : null;
  if (at === null)
    return one('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z');
  const ahead = at.getTime() - Date.now();
  if (ahead > LIMITS.scheduleAheadMs) return one('too_late', 'must be at most 72 hours in the future');
  return ahead < -LIMITS.scheduleGraceMs ? one('in_the_past', 'must not be in the past') : none;
};

/** The release time of a value that its rule has passed: null when it is now. */
export function releaseTime(value: string | undefined): Date | null {
  if (value === undefined) return null;
  const at = new Date(value);
  return at.getTime() > Date.now() ? at : null;
}

// Printable ASCII: the key comes in a header and goes into logs.
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,256}$/;
export const isIdempotencyKey = (key: string): boolean => IDEMPOTENCY_KEY.test(key);
