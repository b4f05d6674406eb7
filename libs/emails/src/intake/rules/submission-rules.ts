import { isLongerThan, LIMITS, parseTimestamp, type Rule, type RuleProblem } from '#libs/contracts';
import { parseMailbox, parseRecipient, type Mailbox, headerFields } from '#libs/mime';
import { attachmentProblems } from '../attachments/attachment-rules.js';
import { isRecord } from './rule.js';
import { databaseClock } from '#libs/kernel';

/**
 * The rules of the fields of a submission, as pure functions over untrusted values. REST, GraphQL, the
 * Resend-compatible routes and SMTP use the same rules, so that a field means the same everywhere
 * (docs/decisions/015-message-rules.md).
 */
const noProblems: RuleProblem[] = [];
const problemAt = (code: string, message: string, path = ''): RuleProblem[] => [{ path, code, message }];

// Characters that the composer rejects: C0 and C1 controls, line separators, unpaired surrogates.
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** A mailbox is parsed by its rule and again when it is converted; the same senders occur in every request. */
const CACHED_MAILBOXES = 1_000;
const CACHED_LENGTH = 320;
const parsedMailboxes = new Map<string, ReturnType<typeof parseRecipient>>();

function cachedMailbox(text: string): ReturnType<typeof parseRecipient> {
  if (text.length > CACHED_LENGTH) return parseRecipient(text, { comments: 'read' });
  const known = parsedMailboxes.get(text);
  if (known) return known;
  if (parsedMailboxes.size >= CACHED_MAILBOXES) parsedMailboxes.clear();
  const parsed = Object.freeze(parseRecipient(text, { comments: 'read' }));
  parsedMailboxes.set(text, parsed);
  return parsed;
}

/** Without a quoted local part, which many receivers mistake in a sender. */
export const fromRule: Rule = (value) => {
  const problems = mailboxProblems(value, '');
  if (problems.length > 0 || typeof value !== 'string' || !value.includes('"')) return problems;
  const parsed = parseMailbox(value, { comments: 'read' });
  return 'problem' in parsed ? problemAt('invalid_address', parsed.problem) : noProblems;
};

/** 1 to 50 mailboxes, as one string (one mailbox) or as an array of strings. */
export const toRule: Rule = (value) => mailboxListProblems(value, 1);
export const ccRule: Rule = (value) => mailboxListProblems(value, 0);
export const bccRule: Rule = (value) => mailboxListProblems(value, 0);
export const replyToRule: Rule = (value) => mailboxListProblems(value, 0);

function mailboxProblems(value: unknown, path: string): RuleProblem[] {
  if (typeof value !== 'string')
    return problemAt('invalid_type', 'must be a string such as "Name <address@example.com>"', path);
  const parsed = cachedMailbox(value);
  return 'problem' in parsed ? problemAt('invalid_address', parsed.problem, path) : noProblems;
}

function mailboxListProblems(value: unknown, min: number): RuleProblem[] {
  if (typeof value === 'string') return mailboxProblems(value, '');
  if (!Array.isArray(value)) return problemAt('invalid_type', 'must be a string or an array of strings');
  if (value.length < min) return problemAt('too_few', 'must have at least one address');
  if (value.length > LIMITS.recipientsPerField)
    return problemAt('too_many', `must have at most ${LIMITS.recipientsPerField} addresses`);
  return value.flatMap((entry, i) => mailboxProblems(entry, `[${i}]`));
}

/** The mailboxes of a valid field. */
export function mailboxes(value: string | string[] | undefined): Mailbox[] {
  const list = value === undefined ? [] : typeof value === 'string' ? [value] : value;
  return list.map((entry) => {
    const parsed = cachedMailbox(entry);
    if ('problem' in parsed) throw new Error('mailboxes() was called with a value that its rule refuses');
    return parsed;
  });
}

export const subjectRule: Rule = (value) => {
  if (typeof value !== 'string') return problemAt('invalid_type', 'must be a string');
  if (value.length === 0 || isLongerThan(value, LIMITS.subjectLength))
    return problemAt('invalid_length', `must have 1 to ${LIMITS.subjectLength} characters`);
  return CONTROLS.test(value)
    ? problemAt('invalid_characters', 'must not contain line breaks or control characters')
    : noProblems;
};

/** html and text: any text without NUL and unpaired surrogates. */
export const bodyRule: Rule = (value) => {
  if (typeof value !== 'string') return problemAt('invalid_type', 'must be a string');
  if (value.includes('\0')) return problemAt('invalid_characters', 'must not contain NUL characters');
  return /\p{Cs}/u.test(value) ? problemAt('invalid_characters', 'must be valid Unicode') : noProblems;
};

/** Custom headers, by the composer's own rule, so that every accepted header can be composed. */
export const headersRule: Rule = (value) => {
  if (!isRecord(value)) return problemAt('invalid_type', 'must be an object of header names and values');
  const names = Object.keys(value);
  if (names.length > LIMITS.headerCount)
    return problemAt('too_many', `must have at most ${LIMITS.headerCount} headers`);
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const repeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    return repeated ? problemAt('duplicate', 'must be given once', `.${name}`) : headerProblems(name, value[name]);
  });
};

// Narrower than RFC 5322 §3.6.8.
const HEADER_NAME = /^[A-Za-z0-9-]+$/;
/** Added to every message at delivery. The composer refuses all other reserved names. */
const FEEDBACK_ID = 'feedback-id';

function headerProblems(name: string, value: unknown): RuleProblem[] {
  const path = `.${name}`;
  if (!HEADER_NAME.test(name)) return problemAt('invalid_header', 'must have a name of letters, digits and "-"', path);
  if (typeof value !== 'string') return problemAt('invalid_type', 'must be a string', path);
  const most = headerFields.isStructured(name) ? LIMITS.structuredHeaderBytes : LIMITS.headerValueBytes;
  if (Buffer.byteLength(value) > most) return problemAt('too_long', `must have at most ${most} bytes`, path);
  const invalid =
    name.toLowerCase() === FEEDBACK_ID
      ? 'must not be set: the header is reserved'
      : headerFields.problemOf(name, value);
  return invalid ? problemAt('invalid_header', invalid, path) : noProblems;
}

const TAG_KEY = /^[A-Za-z0-9_.-]{1,50}$/;

/**
 * Tags as an object, or as a list of `{name, value}` like in other services; values of up to `valueLength` characters.
 */
export const tagsRuleUpTo =
  (valueLength: number): Rule =>
  (value) => {
    if (!isRecord(value) && !Array.isArray(value))
      return problemAt('invalid_type', 'must be an object of keys and values');
    const pairs = tagPairs(value);
    if (pairs.length > LIMITS.tagCount) return problemAt('too_many', `must have at most ${LIMITS.tagCount} tags`);
    const seen = new Set<unknown>();
    return pairs.flatMap(({ key, text, path }) => {
      const repeated = seen.has(key);
      seen.add(key);
      return repeated
        ? problemAt('duplicate', 'must be given once', path)
        : tagProblems({ key, text, path }, valueLength);
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
    return problemAt('invalid_key', 'must have a key of 1 to 50 letters, digits, "_", "." or "-"', path);
  if (typeof text !== 'string') return problemAt('invalid_type', 'must be a string', path);
  if (isLongerThan(text, valueLength))
    return problemAt('too_long', `must have at most ${valueLength} characters`, path);
  return CONTROLS.test(text)
    ? problemAt('invalid_characters', 'must not contain control characters', path)
    : noProblems;
}

/** The tags of a valid value, as they are stored. */
export function tagsFrom(
  value: Record<string, string> | { name: string; value: string }[] | undefined,
): Record<string, string> {
  if (value === undefined) return {};
  return Array.isArray(value) ? Object.fromEntries(value.map((tag) => [tag.name, tag.value])) : value;
}

export const attachmentsRule: Rule = (value) => attachmentProblems(value);

/** ISO 8601 with an offset, at most 72 hours ahead; up to 60 seconds in the past mean now. */
export const scheduledAtRule: Rule = (value) => {
  const at = typeof value === 'string' ? parseTimestamp(value) : null;
  if (at === null)
    return problemAt('invalid_timestamp', 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z');
  const ahead = at.getTime() - databaseClock.now();
  if (ahead > LIMITS.scheduleAheadMs) return problemAt('too_late', 'must be at most 72 hours in the future');
  return ahead < -LIMITS.scheduleGraceMs ? problemAt('in_the_past', 'must not be in the past') : noProblems;
};

/** The release time of a valid value; null for now. */
export function releaseTime(value: string | undefined): Date | null {
  const at = value === undefined ? null : parseTimestamp(value);
  return at !== null && at.getTime() > databaseClock.now() ? at : null;
}

// Printable ASCII: the key is sent in a header and logged.
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,256}$/;
export const isIdempotencyKey = (key: string): boolean => IDEMPOTENCY_KEY.test(key);
