const DAY_MS = 86_400_000;

/**
 * Where a range of days begins that ends now: for one day 24 hours ago, for more at the beginning of the first day, so that
 * seven days are seven dates with today.
 */
export function startOfRange(days: number, now: Date): string {
  if (days <= 1) return new Date(now.getTime() - DAY_MS).toISOString();
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1));
  return first.toISOString();
}
