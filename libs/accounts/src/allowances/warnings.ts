import type { EventData, RoutedEvent } from '#libs/contracts';
import { outbox, requestNotice, type Queryable } from '#libs/persistence';
import { databaseClock } from '#libs/kernel';

/** The row of an account and month after a reservation; the transaction holds its lock. */
export interface Reservation {
  accountId: string;
  /** The first day of the month. */
  month: string;
  limit: number;
  used: number;
  /** The percentage of the last warning of this month; 0 for none. */
  warned: number;
}

const THRESHOLDS = [80, 100] as const;

const SET_WARNED = `
  UPDATE allowances a SET warned_percent = q.warned
    FROM unnest($1::text[], $2::date[], $3::smallint[]) AS q (account_id, month, warned)
   WHERE a.account_id = q.account_id AND a.month = q.month`;

/** For one account at a time, in their order: one UPDATE of many rows would lock them in no defined order. */
const NEXT_SEQUENCE = `UPDATE accounts SET sequence = sequence + $2 WHERE id = $1 RETURNING sequence`;

/** Emits `account.allowance_warning` at 80 and 100% of an allowance, each once per month and plan, and notifies the owner. */
export class AllowanceWarnings {
  /** `reservations` are in the order of their accounts. */
  async append(tx: Queryable, reservations: readonly Reservation[]): Promise<void> {
    const reached = reservations.filter((reservation) => newThresholds(reservation).length > 0);
    if (reached.length === 0) return;
    await tx.query(SET_WARNED, [
      reached.map((reservation) => reservation.accountId),
      reached.map((reservation) => reservation.month),
      reached.map((reservation) => newThresholds(reservation).at(-1)),
    ]);
    const events: RoutedEvent[] = [];
    for (const reservation of reached) events.push(...(await eventsOf(tx, reservation)));
    await outbox.append(tx, events);
    for (const { event } of events) {
      const facts = event.data as EventData['account.allowance_warning'];
      const subject = String(facts.percent);
      await requestNotice(tx, { accountId: event.account_id, kind: 'account.allowance_warning', facts, subject });
    }
  }
}

/** The thresholds that `used` has reached without a warning so far. */
function newThresholds({ limit, used, warned }: Reservation): (80 | 100)[] {
  return THRESHOLDS.filter((percent) => percent > warned && used * 100 >= limit * percent);
}

async function eventsOf(tx: Queryable, reservation: Reservation): Promise<RoutedEvent[]> {
  const { accountId, limit, used } = reservation;
  const percents = newThresholds(reservation);
  const { rows } = await tx.query<{ sequence: number }>(NEXT_SEQUENCE, [accountId, percents.length]);
  const at = databaseClock.date();
  return percents.map((percent, i) =>
    outbox.event({
      type: 'account.allowance_warning',
      data: { month: reservation.month.slice(0, 7), limit, used, percent },
      accountId,
      key: accountId,
      sequence: rows[0].sequence - percents.length + 1 + i,
      domainId: null,
      test: false,
      at,
    }),
  );
}
