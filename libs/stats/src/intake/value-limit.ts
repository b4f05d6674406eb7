import { OTHER_KEYS } from '../schema/tables.js';
import type { StatsRow } from '../event-row.js';

/** Of one dimension, account and day in roll-ups. More are counted together as `(other)`. */
const MAX_VALUES = 500;
/** Tag keys per account and day that roll-ups have. */
const MAX_TAG_KEYS = 100;
/** Days whose values stay in memory. */
const DAYS = 3;

/** Account and dimension, and their values on one day. */
type ValuesOfDay = Map<string, Set<string>>;
/** A value that the roll-ups have. */
export interface KnownValue {
  day: string;
  account_id: string;
  dimension: string;
  value: string;
}

const KEYS = 'keys';

/**
 * Bounds the number of values that the roll-ups by dimension have, so that a tag such as an order number does not make
 * them as large as the events. The first values of a day keep their names. Several writers have a limit each.
 */
export class ValueLimit {
  /** By day (`YYYY-MM-DD`), the least recently used first. */
  private readonly days = new Map<string, ValuesOfDay>();

  constructor(private readonly load: (days: string[]) => Promise<KnownValue[]>) {}

  /** Sets `folded` of each row. */
  async apply(rows: readonly StatsRow[]): Promise<void> {
    const days = [...new Set(rows.map(dayOf))];
    await this.ensure(days);
    for (const row of rows) row.folded = this.foldedOf(row);
    for (const day of [...this.days.keys()].slice(0, Math.max(0, this.days.size - DAYS))) this.days.delete(day);
  }

  private async ensure(days: string[]): Promise<void> {
    const missing = days.filter((day) => !this.days.has(day));
    for (const day of days) {
      const values = this.days.get(day) ?? new Map<string, Set<string>>();
      this.days.delete(day);
      this.days.set(day, values);
    }
    if (missing.length === 0) return;
    try {
      for (const known of await this.load(missing)) this.remember(known);
    } catch (error) {
      for (const day of missing) this.days.delete(day);
      throw error;
    }
  }

  private remember({ day, account_id, dimension, value }: KnownValue): void {
    const values = this.days.get(day);
    if (!values) return;
    if (dimension !== OTHER_KEYS && value !== '') setOf(values, account_id, dimension).add(value);
    if (dimension.startsWith('tag:') && dimension !== OTHER_KEYS) setOf(values, account_id, KEYS).add(dimension);
  }

  private foldedOf(row: StatsRow): string[] {
    if (row.counter === '') return [];
    const values = this.days.get(dayOf(row)) as ValuesOfDay;
    const folded: string[] = [];
    const account = row.account_id;
    const check = (dimension: string, value: string) => {
      if (value !== '' && !admit(setOf(values, account, dimension), value, MAX_VALUES)) folded.push(dimension);
    };
    check('provider', row.provider);
    check('ip', row.ip);
    check('host', row.host);
    check('bounce_class', row.bounce_class);
    check('api_key', row.api_key);
    for (const [key, value] of Object.entries(row.tags))
      if (admit(setOf(values, account, KEYS), `tag:${key}`, MAX_TAG_KEYS)) check(`tag:${key}`, value);
      else folded.push(`key:${key}`);
    return folded;
  }
}

const dayOf = ({ at }: StatsRow): string => at.slice(0, 10);

function setOf(values: ValuesOfDay, account: string, dimension: string): Set<string> {
  const name = `${account} ${dimension}`;
  let found = values.get(name);
  if (!found) values.set(name, (found = new Set()));
  return found;
}

/** False for a new value beyond the limit. */
function admit(values: Set<string>, value: string, limit: number): boolean {
  if (values.has(value)) return true;
  if (values.size >= limit) return false;
  values.add(value);
  return true;
}
