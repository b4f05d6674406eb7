import type { Said } from './judge-outcomes.js';

/** Whose words made us hold back. */
export interface Cause {
  words: string | null;
  mx: string | null;
  /** Id of the automation. */
  rule: string;
}

interface Held {
  cause: Cause;
  /** When it was decided, and when it ends; milliseconds since 1970. */
  at: number;
  until: number;
  /** Ours to tell about: another process tells of its own. */
  own: boolean;
}

/** Nothing goes until then. `warm_up`: only the warm-up of the address pauses. */
export interface Suspension extends Held {
  kind: 'suspended' | 'warm_up';
}

/** The pace is multiplied by `factor` until then. */
export interface SlowDown extends Held {
  kind: 'slow_down';
  factor: number;
}

export type Restraint = Suspension | SlowDown;

/** Further slow-downs multiply; slower than this a queue would never find out that it may go faster. */
const SLOWEST = 1 / 64;
/** After its end a slow-down goes in steps: the pace doubles each time. */
export const RECOVERY_STEP_MS = 60_000;

/** The share of the usual pace; 1: over. */
export function factorOf({ factor, until }: SlowDown, now: number): number {
  if (now < until) return factor;
  return Math.min(1, factor * 2 ** (1 + Math.floor((now - until) / RECOVERY_STEP_MS)));
}

/** The factor when a further slow-down comes on top of `before`. */
export function furtherFactor(before: SlowDown | null, factor: number, now: number): number {
  return Math.max(SLOWEST, (before === null ? 1 : factorOf(before, now)) * factor);
}

/** What is in a reply to one sender's mail is shown to others whose mail waits: addresses and mail ids are nobody else's. */
const ADDRESS = /<?[^\s<>()@,;:]{1,256}@[^\s<>()@,;]{1,256}>?/g;
const SHOWN_CHARACTERS = 500;

export function causeOf({ rule, said }: { rule: { id: string }; said: Said }): Cause {
  const { code, enhanced, text } = said.reply;
  const shown = text
    .slice(0, SHOWN_CHARACTERS)
    .replace(ADDRESS, '(address)')
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ');
  const words = [code, enhanced, shown.trim()].filter((part) => part !== null && part !== '').join(' ');
  return { words, mx: said.remote.mx, rule: rule.id };
}
