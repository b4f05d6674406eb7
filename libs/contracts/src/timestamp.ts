const FORM =
  /^((\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)(?:Z|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)$/i;

/**
 * Parses an ISO 8601 time with `Z` or an offset; null if it is not one. An offset may have no minutes or no colon (ISO 8601-1
 * section 4.3.13), the decimal sign may be a comma (ISO 8601-1 section 3.2.6), and `t` and `z` may be small (RFC 3339 section 5.6). `Date.parse` alone would accept local times and turn
 * 30 February into 2 March.
 */
export function parseTimestamp(text: string): Date | null {
  const found = FORM.exec(text);
  if (found === null) return null;
  const [, local] = found;
  const digits = found.slice(2, 8) as (string | undefined)[];
  const [year, month, day, hour, minute, second] = digits.map((some) => Number(some ?? 0));
  const [hours, minutes] = found.slice(8) as (string | undefined)[];
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth && hour <= 23 && minute <= 59;
  if (!inRange || second > 59) return null;
  const instant = new Date(`${local.toUpperCase().replace(',', '.')}${hours ?? '+00'}:${minutes ?? '00'}`);
  return Number.isNaN(instant.getTime()) ? null : instant;
}
