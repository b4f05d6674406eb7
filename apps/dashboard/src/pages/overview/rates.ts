import { formatShare } from '../../components/format.tsx';

/** Rates that deserve attention, and rates at which mailbox providers act. */
export interface Limits {
  warning: number;
  limit: number;
  /** True for a rate that should be high. */
  isFloor?: boolean;
}

export const DELIVERY_LIMITS: Limits = { warning: 0.98, limit: 0.95, isFloor: true };
export const BOUNCE_LIMITS: Limits = { warning: 0.02, limit: 0.05 };
/** Gmail and Yahoo ask for less than 0.1% and act at 0.3%. */
export const COMPLAINT_LIMITS: Limits = { warning: 0.001, limit: 0.003 };

interface Verdict {
  level: 'unknown' | 'good' | 'warning' | 'bad';
  words: string;
}

export function judgeRate(part: number, total: number, { warning, limit, isFloor = false }: Limits): Verdict {
  if (total === 0) return { level: 'unknown', words: '' };
  const rate = part / total;
  const isBeyond = (bound: number) => (isFloor ? rate < bound : rate >= bound);
  const side = isFloor ? 'below' : 'above';
  if (isBeyond(limit))
    return { level: 'bad', words: `${isFloor ? 'Too low' : 'Too high'}: ${side} ${formatShare(limit)}` };
  if (isBeyond(warning)) return { level: 'warning', words: `Watch: ${side} ${formatShare(warning)}` };
  return { level: 'good', words: `Good: ${isFloor ? 'above' : 'below'} ${formatShare(warning)}` };
}
