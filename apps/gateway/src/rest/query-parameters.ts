import { isId, LIMITS, Refusal, type IdPrefix, type RefusalDetail } from '#libs/contracts';
import { parseTimestamp } from '../timestamp.js';

/**
 * Query parameters, read strictly: a parameter given twice or with a value of another form is refused, because a filter
 * that is silently dropped shows more than was asked for. All problems are told at once by `check()`.
 */
export class QueryParameters {
  private readonly problems: RefusalDetail[] = [];

  constructor(private readonly query: Record<string, unknown>) {}

  text(name: string): string | undefined {
    const value = this.query[name];
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    return this.refuse(name, 'must be given once, with a value');
  }

  id(name: string, prefix: IdPrefix): string | undefined {
    const value = this.text(name);
    return value === undefined || isId(prefix, value) ? value : this.refuse(name, `must be an id such as ${prefix}_…`);
  }

  limit(): number {
    const value = this.text('limit') ?? String(LIMITS.listDefault);
    const limit = Number(value);
    if (/^\d{1,3}$/.test(value) && limit >= 1 && limit <= LIMITS.listMaximum) return limit;
    this.refuse('limit', `must be a whole number from 1 to ${LIMITS.listMaximum}`);
    return LIMITS.listDefault;
  }

  timestamp(name: string): Date | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    return (
      parseTimestamp(value) ??
      this.refuse(name, 'must be an ISO 8601 timestamp with an offset, such as 2026-01-31T09:30:00Z')
    );
  }

  /** @throws Refusal `invalid_parameter` when a parameter read so far was wrong. */
  check(): void {
    if (this.problems.length === 0) return;
    const [{ field, message }] = this.problems;
    throw new Refusal('invalid_parameter', this.problems, `The parameter ${field} ${message}.`);
  }

  private refuse(field: string, message: string): undefined {
    this.problems.push({ field, code: 'invalid_parameter', message });
  }
}
