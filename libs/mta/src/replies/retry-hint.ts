import { readDataFile, type JsonReader } from '../json-reader.js';
import { patternSources } from './reply-phrases.js';
import { foldText } from './reply-text.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Bounds for requested waits: a mistake of the server must not delay a message for days or cause rapid retries. */
const MIN_WAIT_MS = 5 * SECOND_MS;
const MAX_WAIT_MS = DAY_MS;

const UNIT_MS = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
const UNIT_NAMES = ['second', 'minute', 'hour', 'day'] as const;

export interface RetryPhrases {
  /** Source of a pattern for a request to come again. */
  request: string;
  /** Numbers in words. */
  numbers: ReadonlyMap<string, number>;
  /** Length of a unit, and the source of a pattern for its names. */
  units: readonly [ms: number, names: string][];
}

/** @throws JsonFileError for a file that has another form than `retry-phrases.json`. */
export function readRetryPhrases(root: JsonReader): RetryPhrases {
  const { request, numbers, units } = root.members(['comment', 'request', 'numbers', 'units']);
  if (request === undefined || numbers === undefined || units === undefined)
    throw root.problem('needs request, numbers and units');
  const given = units.members(UNIT_NAMES);
  return {
    request: patternSources(request).join('|'),
    numbers: new Map(numbers.entries().map(([word, number]) => [word, number.number(0.1, 100)])),
    units: UNIT_NAMES.map((name) => {
      const names = given[name];
      if (names === undefined) throw units.problem(`needs ${name}`);
      return [UNIT_MS[name], patternSources(names).join('|')];
    }),
  };
}

/** Read once, when the program starts. */
const PHRASES = readDataFile(new URL('./retry-phrases.json', import.meta.url), readRetryPhrases);

const UNIT = PHRASES.units.map(([, names]) => `(${names})`).join('|');

const AMOUNT = `(?<![a-z0-9.:])(\\d{1,6}|(?:${[...PHRASES.numbers.keys()].join('|')})(?=[ -]))[ -]?(?:${UNIT})(?![a-zа-я])`;

/**
 * "… try again in 5 minutes": gap, number, unit. The gap has no digits, so that a count in between is not taken for a
 * wait.
 */
const REQUEST = new RegExp(`(?<![a-zа-я])(?:${PHRASES.request})([^0-9]{0,50}?)${AMOUNT}`, 'g');
/** "… in 10 Minuten erneut versuchen": the word for "again" follows in the same clause. */
const REQUEST_AFTER = new RegExp(
  `\\b(?:in|nach|after)( )${AMOUNT}[^0-9.,;]{0,20}\\b(?:again|retry|erneut|wieder)\\b`,
  'g',
);
/** "100 messages in 60 seconds", "during the last hour": a rate, not a wait. */
const MEASURE =
  /(?:messages?|mails?|e-mails|connections?|recipients?|errors?|sessions?) (?:in|per|within)|\blast\b|\bwithin\b|\bper\b|\bevery\b/;
/** 5分钟后 and 5分後: the word for "after" follows. */
const EAST_ASIAN = /(\d{1,6}) ?(?:(秒)钟?|(分)[钟鐘]?|(小时|小時|时间|時間))(?:之|以)?[后後]/;
/** milter-greylist and similar products: `retry=00:05:00`, "come back in 00:05:00". */
const CLOCK = /(?:retry ?[=:]|\bin) ?(\d\d):(\d\d):(\d\d)\b/;
/**
 * A time with its zone in the form of ISO 8601 or RFC 5322, after a word that makes it the earliest time for a retry.
 */
const MOMENT =
  /\b(?:again|retry|retries|come back|before|until|after|at)\b[^0-9]{0,30}(\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?|\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)?)(?:\.\d{1,6})? ?(z|utc|gmt|[+-]\d\d:?\d\d)/;

/** All patterns of this file, for a test of their cost. */
export const RETRY_PATTERNS: readonly RegExp[] = [REQUEST, REQUEST_AFTER, EAST_ASIAN, CLOCK, MOMENT];

/**
 * The wait that a temporary reply requests ("try again in 5 minutes"), in milliseconds, 5 s to 24 h; undefined if it
 * requests none. @param now In milliseconds since 1970, for replies that name a time.
 */
export function retryHint(text: string, now = Date.now()): number | undefined {
  const folded = foldText(text);
  const asked =
    clock(folded) ??
    moment(folded, now) ??
    requestedWait(folded, REQUEST) ??
    requestedWait(folded, REQUEST_AFTER) ??
    eastAsian(folded);
  return asked === undefined || asked <= 0 ? undefined : Math.min(Math.max(asked, MIN_WAIT_MS), MAX_WAIT_MS);
}

function clock(text: string): number | undefined {
  const match = CLOCK.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * HOUR_MS + Number(match[2]) * MINUTE_MS + Number(match[3]) * SECOND_MS;
}

function moment(text: string, now: number): number | undefined {
  const match = MOMENT.exec(text);
  if (match === null) return undefined;
  const zone = match[2].replace(/^(?:utc|gmt)$/, 'z').toUpperCase();
  const iso = match[1].includes('-');
  const at = Date.parse(iso ? `${match[1].replace(' ', 't').toUpperCase()}${zone}` : `${match[1]} ${zone}`);
  return Number.isNaN(at) ? undefined : at - now;
}

function requestedWait(text: string, pattern: RegExp): number | undefined {
  for (const [, gap, number, ...units] of text.matchAll(pattern)) {
    if (MEASURE.test(gap)) continue;
    const unit = units.findIndex((found: string | undefined) => found !== undefined);
    return (PHRASES.numbers.get(number) ?? Number(number)) * PHRASES.units[unit][0];
  }
  return undefined;
}

function eastAsian(text: string): number | undefined {
  const match = EAST_ASIAN.exec(text);
  if (match === null) return undefined;
  const unit = match[2] === undefined ? (match[3] === undefined ? HOUR_MS : MINUTE_MS) : SECOND_MS;
  return Number(match[1]) * unit;
}
