const FORM = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

/**
 * An instant written in ISO 8601 with `Z` or an offset (D-3), or null. `Date.parse` alone would read local times and
 * roll 30 February over into March.
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
