import { foldedText } from './folded-text.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** What is asked for beyond these bounds is a slip or a joke, and neither may hold a mail for ever nor make us hammer. */
const SHORTEST_MS = 5 * SECOND_MS;
const LONGEST_MS = DAY_MS;

/** Words of a request to come again, in the languages we know; patterns on folded text. */
const ASKING = [
  'again|retr(?:y|ies|ying)|next (?:try|attempt)|try|come back|return|re-?send|re-?connect|wait',
  '[a-z]{0,8}(?:list|block|defer|delay|throttl|limit|suspend|refus)[a-z]{0,4} (?:[a-z]{1,12} )?for',
  '(?:pass|accept(?:ed)?|allowed|possible|deliver(?:ed|y)?|send) (?:[a-z]{1,12} )?(?:after|in)',
  'versuch(?:en|e)?|erneut|wieder|warten|bitte nach',
  're-?essaye[zr]|nouvel essai|patiente[zr]|attende[zr]|renvoye[zr]',
  '(?:re)?intent(?:e|ar|arlo|elo)|vuelva|espere|riprova(?:re|te)?|ritent(?:are|i)|attend(?:ere|ete)|tent(?:e|ar)|aguarde',
  'sprobuj|ponow|odczekaj|повторите|попробуите|через|poprobu[a-z]{1,6}|povtorite|cherez',
].join('|');

const NUMBERS: Readonly<Record<string, number>> = {
  ...{
    a: 1,
    an: 1,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    ten: 10,
    fifteen: 15,
    twenty: 20,
    thirty: 30,
    sixty: 60,
  },
  ...{ 'half an': 0.5, ein: 1, eine: 1, einer: 1, un: 1, une: 1, una: 1, uno: 1, um: 1, uma: 1 },
};

/** Units by their first letters; what follows must not be another letter. */
const UNITS: readonly (readonly [ms: number, words: string])[] = [
  [SECOND_MS, 's|secs?|seconds?|sek|sekunden?|secondes?|segundos?|secondi|sekund[ay]?|секунд[ыу]?'],
  [MINUTE_MS, 'm|mins?|minutes?|minuten|minutos?|minut[ioaey]?|минут[ыу]?'],
  [HOUR_MS, 'h|hrs?|hours?|std|stunden?|heures?|horas?|or[ae]|godzin[aey]?|часа?|часов|chasa?|chasov'],
  [DAY_MS, 'd|days?|tage?n?|jours?|dias?|giorn[oi]|dni|дня|днеи|день'],
];
const UNIT = UNITS.map(([, words]) => `(${words})`).join('|');

const AMOUNT = `(?<![a-z0-9.:])(\\d{1,6}|(?:${Object.keys(NUMBERS).join('|')})(?=[ -]))[ -]?(?:${UNIT})(?![a-zа-я])`;

/** "… try again in 5 minutes": gap, number, unit. The gap has no digits, so that a count in between is no wait. */
const REQUEST = new RegExp(`(?<![a-zа-я])(?:${ASKING})([^0-9]{0,50}?)${AMOUNT}`, 'g');
/** "… in 10 Minuten erneut versuchen": the word for "again" follows, in the same clause. */
const REQUEST_AFTER = new RegExp(
  `\\b(?:in|nach|after)( )${AMOUNT}[^0-9.,;]{0,20}\\b(?:again|retry|erneut|wieder)\\b`,
  'g',
);
/** "100 messages in 60 seconds", "during the last hour": a measure, not a wait. */
const MEASURE =
  /(?:messages?|mails?|e-mails|connections?|recipients?|errors?|sessions?) (?:in|per|within)|\blast\b|\bwithin\b|\bper\b|\bevery\b/;
/** 5分钟后 and 5分後: the word for "after" follows. */
const EAST_ASIAN = /(\d{1,6}) ?(?:(秒)钟?|(分)[钟鐘]?|(小时|小時|时间|時間))(?:之|以)?[后後]/;
/** milter-greylist and kin: `retry=00:05:00`, "come back in 00:05:00". */
const CLOCK = /(?:retry ?[=:]|\bin) ?(\d\d):(\d\d):(\d\d)\b/;
/** A moment with its zone, of ISO 8601 or RFC 5322, after a word that makes it the earliest time for another try. */
const MOMENT =
  /\b(?:again|retry|retries|come back|before|until|after|at)\b[^0-9]{0,30}(\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?|\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(?::\d\d)?)(?:\.\d{1,6})? ?(z|utc|gmt|[+-]\d\d:?\d\d)/;

/** All that is searched for, to be judged for its cost. */
export const REQUESTS: readonly RegExp[] = [REQUEST, REQUEST_AFTER, EAST_ASIAN, CLOCK, MOMENT];

/**
 * How long a temporary refusal asks us to wait ("try again in 5 minutes"), in milliseconds, 5 s to 24 h; undefined when
 * it does not say. @param now in milliseconds since 1970, for replies that name a moment.
 */
export function retryHint(text: string, now = Date.now()): number | undefined {
  const folded = foldedText(text);
  const asked =
    clock(folded) ??
    moment(folded, now) ??
    request(folded, REQUEST) ??
    request(folded, REQUEST_AFTER) ??
    eastAsian(folded);
  return asked === undefined || asked <= 0 ? undefined : Math.min(Math.max(asked, SHORTEST_MS), LONGEST_MS);
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

function request(text: string, pattern: RegExp): number | undefined {
  for (const [, gap, number, ...units] of text.matchAll(pattern)) {
    if (MEASURE.test(gap)) continue;
    const unit = units.findIndex((found: string | undefined) => found !== undefined);
    return (NUMBERS[number] ?? Number(number)) * UNITS[unit][0];
  }
  return undefined;
}

function eastAsian(text: string): number | undefined {
  const match = EAST_ASIAN.exec(text);
  if (match === null) return undefined;
  const unit = match[2] === undefined ? (match[3] === undefined ? HOUR_MS : MINUTE_MS) : SECOND_MS;
  return Number(match[1]) * unit;
}
