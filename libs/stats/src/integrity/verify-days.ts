import type { Engine } from '../engine.js';
import type { EventIntake } from '../intake/event-intake.js';
import type { ReadableLog } from '../intake/rebuild.js';
import { EVENTS, type TableOptions } from '../schema/tables.js';
import {
  expectedTotals,
  readTotals,
  shortfalls,
  type DayRange,
  type DayTotals,
  type Shortfall,
  type TableTotals,
} from './day-totals.js';
import { asRanges, nextDay } from './day-ranges.js';
import { healDays } from './heal-days.js';
import { firstDayIn, refillDays } from './refill-days.js';

/** The totals that a day is known to have had. */
export type RecordedDays = ReadonlyMap<string, DayTotals>;

export interface Verification {
  log: ReadableLog;
  /**
   * Every batch of the PostgreSQL log with events up to this position was confirmed; null if events come from another source,
   * of which that is not known.
   */
  confirmedUpTo: number | null;
  recorded: RecordedDays;
  range?: DayRange;
  /** Called before the rows of days are deleted to be replaced. After an interruption, these days must be verified again. */
  onIncomplete: (days: ReadonlyMap<string, { totals: DayTotals; lacking: Shortfall[] }>) => Promise<void>;
}

export interface DayVerdict {
  /** The totals after the repair, or those that the day should have if it could not be repaired. */
  totals: DayTotals;
  /** What the tables lacked before. */
  lacked: Shortfall[];
  /** What they still lack; empty if the day is complete. */
  lacking: Shortfall[];
  /** From what rows were rebuilt. */
  repairedFrom: ('tables' | 'log')[];
}

interface StoreParts {
  engine: Engine;
  intake: EventIntake;
  options: TableOptions;
}

/**
 * Compares the tables with each other and with the record, day by day, and repairs what is short: from finer tables where
 * these have more, else from the log as far as it has the whole day. Runs alone.
 * @returns every day that has rows, or that the record has
 */
export function verifyDays(store: StoreParts, verification: Verification): Promise<Map<string, DayVerdict>> {
  return store.intake.alone(() => new DayVerifier(store, verification).run());
}

class DayVerifier {
  private readonly verdicts = new Map<string, DayVerdict>();
  private totals = new Map<string, TableTotals>();

  constructor(
    private readonly store: StoreParts,
    private readonly of: Verification,
  ) {}

  async run(): Promise<Map<string, DayVerdict>> {
    await this.compare(this.of.range);
    const short = this.short();
    if (short.length === 0) return this.verdicts;
    await this.of.onIncomplete(new Map(short.map((day) => [day, this.verdict(day)])));
    await this.healFromTables(short);
    await this.refill(false);
    await this.refill(true);
    return this.verdicts;
  }

  private verdict(day: string): DayVerdict {
    return this.verdicts.get(day) as DayVerdict;
  }

  private short(): string[] {
    return [...this.verdicts].filter(([, { lacking }]) => lacking.length > 0).map(([day]) => day);
  }

  private async compare(range: DayRange | undefined): Promise<void> {
    const { recorded } = this.of;
    const found = await readTotals(this.store.engine, range);
    for (const [day, tables] of found) this.totals.set(day, tables);
    const isInRange = (day: string) => day >= (range?.from ?? '') && day <= (range?.to ?? '9');
    for (const day of new Set([...found.keys(), ...[...recorded.keys()].filter(isInRange)])) {
      const tables = found.get(day) ?? new Map<string, DayTotals>();
      this.totals.set(day, tables);
      const before = this.verdicts.get(day);
      const expected = expectedTotals(tables, before?.totals ?? recorded.get(day));
      const lacking = shortfalls(day, { tables, expected }, this.store.options);
      this.verdicts.set(day, {
        totals: expected,
        lacked: before?.lacked ?? lacking,
        lacking,
        repairedFrom: before?.repairedFrom ?? [],
      });
    }
  }

  /**
   * A batch in progress completes its own rows when it is repeated. Days that it may have are refilled from the log, so that
   * their rows belong to another batch. A batch cannot have days that the log no longer has.
   */
  private async healFromTables(days: readonly string[]): Promise<void> {
    const { intake, engine } = this.store;
    const first = await firstDayIn(this.of.log);
    const { confirmedUpTo } = this.of;
    const unconfirmed = confirmedUpTo === null ? first : await intake.firstUnconfirmedDay(confirmedUpTo);
    const healable = days.filter(
      (day) => first === null || nextDay(day) < first || unconfirmed === null || day < unconfirmed,
    );
    const compared = healable.map((day) => {
      const tables = this.totals.get(day) ?? new Map<string, DayTotals>();
      return [day, { tables, expected: this.verdict(day).totals }] as const;
    });
    const healed = [...(await healDays(engine, new Map(compared)))].sort();
    for (const day of healed) this.verdict(day).repairedFrom.push('tables');
    for (const range of asRanges(healed)) await this.compare(range);
  }

  private async refill(wholeLog: boolean): Promise<void> {
    const { log } = this.of;
    const first = await firstDayIn(log);
    if (first === null) return;
    const days = this.short().filter((day) => day >= first);
    for (const range of asRanges(days)) {
      const tables = new Set(days.flatMap((day) => [...(this.totals.get(day)?.keys() ?? [])]));
      await refillDays(this.store, log, { ...range, tables, wholeLog });
      await this.compare(range);
      for (const day of days.filter((one) => one >= range.from && one <= range.to))
        if (!this.verdict(day).repairedFrom.includes('log')) this.verdict(day).repairedFrom.push('log');
    }
    if (wholeLog) for (const day of days) this.acceptLog(day);
  }

  /** The log is the source of truth: a day that it has as a whole is complete with what it has, once the tables agree. */
  private acceptLog(day: string): void {
    const tables = this.totals.get(day) ?? new Map<string, DayTotals>();
    const totals = tables.get(EVENTS) ?? { stored: 0, counted: 0, grouped: 0 };
    const lacking = shortfalls(day, { tables, expected: totals }, this.store.options);
    this.verdicts.set(day, { ...this.verdict(day), totals, lacking });
  }
}
