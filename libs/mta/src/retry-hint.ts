const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_MS = 24 * 3_600_000;

const WORDS =
  /\b(?:again|retry|wait|delay(?:ed)?|after|in|for)\b[^0-9\r\n]{0,30}(\d{1,5}) ?(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)\b/i;
/** Postgrey and kin: `retry=00:05:00`. */
const CLOCK = /\bretry ?[=:] ?(\d\d):(\d\d):(\d\d)\b/i;

/** How long a temporary refusal asks us to wait ("try again in 5 minutes"), in milliseconds; at most 24 hours. */
export function retryHint(text: string): number | undefined {
  const clock = CLOCK.exec(text);
  if (clock !== null) return bounded((Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3])) * 1000);
  const words = WORDS.exec(text);
  if (words === null) return undefined;
  return bounded(Number(words[1]) * UNIT_MS[words[2][0].toLowerCase()]);
}

function bounded(ms: number): number | undefined {
  return ms > 0 ? Math.min(ms, LONGEST_MS) : undefined;
}
