import { readFileSync } from 'node:fs';
import { streamSafe } from '#libs/contracts';

/*
 * The phrases by which reports in free text are recognised. phrases.json has them as patterns without unbounded
 * repetition, so each search is linear in the text, and in the form that `foldText` returns.
 */

const LISTS = [
  'bounceOpening',
  'failed',
  'delayed',
  'delivered',
  'noMoreAttempts',
  'returnedCopyFollows',
  'notAReason',
  'reasonLabel',
  'senderLabel',
  'remoteHostLabel',
  'quotedReplyLabel',
  'mailServerSender',
  'replyPrefix',
  'automaticSubject',
  'vacation',
] as const;
const STATUS = /^[45]\.\d{1,3}\.\d{1,3}$/;
/** Also one that is not closed, which `new RegExp` refuses. */
const CHARACTER_CLASS = /\[(?:\\.|[^\]\\])*\]?/g;
const ESCAPED = /\\./g;
const UNBOUNDED = /[*+]|\{\d+,\}/;

const MARKS = /[\u0300-\u036f]+/g;
const APOSTROPHES = /[\u2018\u2019]/g;

/** Text in the form of the phrases: lower case, without accents, with plain apostrophes and single spaces. */
export function foldText(text: string): string {
  const plain = streamSafe(text.toLowerCase()).normalize('NFKD').replace(MARKS, '').replace(APOSTROPHES, "'");
  return plain.normalize('NFC').replace(/\s+/g, ' ').trim();
}

export interface Phrases {
  lists: Record<(typeof LISTS)[number], readonly string[]>;
  statusOfPhrase: readonly { status: string; phrases: readonly string[] }[];
}

/** @throws Error that names the first entry that is missing, unknown or not a bounded pattern */
export function readPhrases(json: string): Phrases {
  const file = JSON.parse(json) as {
    lists: Record<string, Record<string, unknown>>;
    statusOfPhrase: { rules: { status: string; phrases: unknown }[] };
  };
  for (const name of Object.keys(file.lists)) if (!LISTS.some((known) => known === name)) throw invalid(name);
  const lists = {} as Phrases['lists'];
  for (const name of LISTS) {
    const { meaning, ...byLanguage } = file.lists[name] ?? {};
    if (typeof meaning !== 'string' || Object.keys(byLanguage).length === 0) throw invalid(name);
    lists[name] = Object.values(byLanguage).flatMap((some) => readPatterns(name, some));
  }
  const statusOfPhrase = file.statusOfPhrase.rules.map(({ status, phrases }) => {
    if (!STATUS.test(status)) throw invalid(`statusOfPhrase ${status}`);
    return { status, phrases: readPatterns(status, phrases) };
  });
  return { lists, statusOfPhrase };
}

function readPatterns(name: string, patterns: unknown): string[] {
  if (!Array.isArray(patterns) || patterns.length === 0) throw invalid(name);
  return patterns.map((pattern: unknown) => {
    if (typeof pattern !== 'string' || pattern === '' || foldText(pattern) !== pattern) throw invalid(name, pattern);
    if (UNBOUNDED.test(pattern.replace(CHARACTER_CLASS, '').replace(ESCAPED, ''))) throw invalid(name, pattern);
    new RegExp(pattern);
    return pattern;
  });
}

const invalid = (name: string, pattern?: unknown): Error =>
  new Error(`phrases.json: ${name} is invalid${pattern === undefined ? '' : ` at ${JSON.stringify(pattern)}`}`);

const { lists, statusOfPhrase } = readPhrases(readFileSync(new URL('./phrases.json', import.meta.url), 'utf8'));
const anyOf = (patterns: readonly string[]): string => `(?:${patterns.join('|')})`;

export const BOUNCE_OPENING = new RegExp(anyOf(lists.bounceOpening));
export const FAILED = new RegExp(anyOf(lists.failed));
export const DELAYED = new RegExp(anyOf(lists.delayed));
export const DELIVERED = new RegExp(anyOf(lists.delivered));
export const NO_MORE_ATTEMPTS = new RegExp(anyOf(lists.noMoreAttempts));
export const RETURNED_COPY_FOLLOWS = new RegExp(`^[-=*| ]{0,80}${anyOf(lists.returnedCopyFollows)}`);
export const NOT_A_REASON = new RegExp(`^${anyOf(lists.notAReason)}`);
export const REASON_LABEL = new RegExp(`^(?:[a-z]{1,15} )?${anyOf(lists.reasonLabel)} ?[:：]`);
export const AUTOMATIC_SUBJECT = new RegExp(anyOf(lists.automaticSubject));
export const VACATION = new RegExp(anyOf(lists.vacation));
/** An address with a permanent reply to it, in any language: `<ada@…>: 550 5.1.1`. */
export const PERMANENT_REPLY = /[^\s<>:;,]@[^\s<>:;,]{1,255}>?:? 5\d\d[ -]#?5\.\d{1,3}\.\d{1,3}\b/;
export const STATUS_OF_PHRASE = statusOfPhrase.map(({ status, phrases }) => ({
  status,
  pattern: new RegExp(anyOf(phrases)),
}));

/** For text of any case that is not folded. */
export const MAIL_SERVER_SENDER = new RegExp(anyOf(lists.mailServerSender), 'i');
export const REPLY_SUBJECT = new RegExp(
  `^\\s{0,9}${anyOf(lists.replyPrefix)}\\s{0,3}(?:\\[\\d{1,3}\\])?\\s{0,3}:`,
  'i',
);
/** Alternatives for longer patterns. */
export const SENDER_LABEL = anyOf(lists.senderLabel);
export const REMOTE_HOST_LABEL = anyOf(lists.remoteHostLabel);
export const QUOTED_REPLY_LABEL = anyOf(lists.quotedReplyLabel);
