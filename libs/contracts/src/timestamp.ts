const FORM = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

/**
 * Parses an ISO 8601 time with `Z` or an offset; null if it is not one. `Date.parse` alone would accept local times and
 * turn 30 February into 2 March.
 */
export function parseTimestamp(text: string): Date | null {
  const parts = FORM.exec(text)?.slice(1, 7).map(Number);
  if (!parts) return null;
  const [year, month, day, hour, minute, second = 0] = parts;
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth && hour <= 23 && minute <= 59;
  if (!inRange || second > 59) return null;
  const instant = new Date(text);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
