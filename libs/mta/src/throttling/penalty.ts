import { readBlockList } from '../replies/block-list.js';
import type { RemoteReply } from './outcome-signals.js';
import type { Automation } from './plan/throttling-plan.js';

/** The reply that caused a penalty. */
export interface Cause {
  words: string | null;
  mx: string | null;
  /** Id of the automation. */
  rule: string;
  /** The block list that has our address, according to the reply; null: the reply is about something else. */
  blockList: string | null;
}

interface PenaltyBase {
  cause: Cause;
  /** When it was decided (`at`) and when it ends; milliseconds since 1970. */
  at: number;
  until: number;
  /** Decided by this process, which logs its end. Other processes log their own. */
  own: boolean;
}

/** Nothing is sent until then. `warm_up`: only the warm-up of the address is paused. */
export interface Suspension extends PenaltyBase {
  kind: 'suspended' | 'warm_up';
}

/** The rate is multiplied by `factor` until then. */
export interface SlowDown extends PenaltyBase {
  kind: 'slow_down';
  factor: number;
}

export type Penalty = Suspension | SlowDown;

/** Further slow-downs multiply. Below this factor a queue would never detect that it may be faster. */
const SLOWEST = 1 / 64;
/** After its end a slow-down is reduced in steps: the rate doubles each time. */
const RECOVERY_STEP_MS = 60_000;

/** The factor of the rate; 1: over. */
export function factorOf({ factor, until }: SlowDown, now: number): number {
  if (now < until) return factor;
  return Math.min(1, factor * 2 ** (1 + Math.floor((now - until) / RECOVERY_STEP_MS)));
}

/** The factor when a further slow-down is added to `before`. */
export function combinedFactor(before: SlowDown | null, factor: number, now: number): number {
  return Math.max(SLOWEST, (before === null ? 1 : factorOf(before, now)) * factor);
}

/** A reply to the message of one sender is shown to others whose messages wait, so addresses are removed. */
const ADDRESS = /<?[^\s<>()@,;:]{1,256}@[^\s<>()@,;]{1,256}>?/g;
const SHOWN_CHARACTERS = 500;

interface Decision {
  rule: Pick<Automation, 'id' | 'blockList'>;
  remoteReply: RemoteReply;
}

export function causeOf({ rule, remoteReply }: Decision): Cause {
  const { code, enhanced, text } = remoteReply.reply;
  const shown = text
    .slice(0, SHOWN_CHARACTERS)
    .replace(ADDRESS, '(address)')
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ');
  const words = [code, enhanced, shown.trim()].filter((part) => part !== null && part !== '').join(' ');
  const blockList = rule.blockList === null ? null : (readBlockList(text) ?? rule.blockList);
  return { words, mx: remoteReply.remote.mx, rule: rule.id, blockList };
}
