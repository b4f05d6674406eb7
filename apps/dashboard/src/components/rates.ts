import { LIMITS } from '../generated/constants.ts';
import { formatNumber, formatShare } from './format.tsx';

/** The figures of docs/statistics.md, which the server computes. */
export interface Rates {
  settled: number | null;
  simulated: number | null;
  deliveredOfSettled: number | null;
  bouncedOfSettled: number | null;
  complainedOfSettled: number | null;
  openedOfSettled: number | null;
  clickedOfSettled: number | null;
}

/** Of a domain without events. */
export const NO_RATES: Rates = {
  settled: 0,
  simulated: 0,
  deliveredOfSettled: null,
  bouncedOfSettled: null,
  complainedOfSettled: null,
  openedOfSettled: null,
  clickedOfSettled: null,
};

/** Until they are loaded. */
export const UNKNOWN_RATES: Rates = { ...NO_RATES, settled: null };

/** Rates that deserve attention, and rates at which mailbox providers act. */
export interface RateLimits {
  warning: number;
  limit: number;
  /** True for a rate that should be high. */
  isFloor?: boolean;
}

export const DELIVERY_LIMITS: RateLimits = { warning: 0.98, limit: 0.95, isFloor: true };
export const BOUNCE_LIMITS: RateLimits = { warning: 0.02, limit: 0.05 };
/** Gmail and Yahoo ask for less than 0.1% and act at 0.3%. */
export const COMPLAINT_LIMITS: RateLimits = { warning: 0.001, limit: 0.003 };

interface Verdict {
  level: 'good' | 'warning' | 'bad';
  words: string;
}

/** Null for a rate of too few recipients. */
export function judgeRate(
  rate: number | null,
  settled: number,
  { warning, limit, isFloor = false }: RateLimits,
): Verdict | null {
  if (rate === null || settled < LIMITS.judgedRecipients) return null;
  const isBeyond = (bound: number) => (isFloor ? rate < bound : rate >= bound);
  const side = isFloor ? 'below' : 'above';
  if (isBeyond(limit))
    return { level: 'bad', words: `${isFloor ? 'Too low' : 'Too high'}: ${side} ${formatShare(limit)}` };
  if (isBeyond(warning)) return { level: 'warning', words: `Watch: ${side} ${formatShare(warning)}` };
  return { level: 'good', words: `Good: ${isFloor ? 'above' : 'below'} ${formatShare(warning)}` };
}

/** The denominator of every rate: `of 2,943 settled recipients`. */
export function ofSettled(settled: number | null | undefined): string {
  // Not loaded: an empty line.
  if (typeof settled !== 'number') return '\u00a0';
  if (settled === 0) return 'no settled recipients yet';
  return `of ${formatNumber(settled)} settled ${settled === 1 ? 'recipient' : 'recipients'}`;
}

/** Explains the denominator of the rates, and the mail that they leave out. */
export function aboutRates({ simulated, openedOfSettled, clickedOfSettled }: Rates): string {
  const left = simulated
    ? ` ${formatNumber(simulated)} of the simulator ${simulated === 1 ? 'is' : 'are'} left out.`
    : '';
  const opens =
    (clickedOfSettled ?? 0) > (openedOfSettled ?? 0)
      ? ' There are more clicks than opens because an open is seen only where the images of an email are loaded.'
      : '';
  return `Settled recipients are those whose delivery has ended: delivered, bounced or failed.${left}${opens}`;
}
