import type { Shape } from './cell.mjs';

export const SHAPE: Shape;
export const PEAK_FACTOR: number;
export function dayProfile(emailsPerDay: number): number[];
export function ordinaryDay(emailsPerDay: number, shape?: Shape): { accepted: number; p99: number };
export function failover(options: { perSecond: number; outage?: number; cold?: number; coldCapacity?: number }): {
  longestQueue: number;
  drained: number;
  longestDelay: number;
  lost: number;
};
export function hotTenant(options: { perSecond: number; burst: number; limit?: number; accounts?: number | null }): {
  refused: number;
  others: number;
  hot: number;
};
