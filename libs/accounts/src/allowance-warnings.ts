import type { RoutedEvent } from '#libs/contracts';
import { appendEvents, routedEvent, type Queryable } from '#libs/persistence';

/** The month of an account as a reservation left it; its row is locked by the transaction. */
export interface Booking {
  accountId: string;
  /** The first day of the month. */
  month: string;
  limit: number;
  used: number;
  /** The percentage that was last told of in this month; 0: none. */
  warned: number;
}

const STEPS = [80, 100] as const;

const NOTE_WARNED = `
  UPDATE allowances a SET warned = q.warned
    FROM unnest($1::text[], $2::date[], $3::smallint[]) AS q (account_id, month, warned)
   WHERE a.account_id = q.account_id AND a.month = q.month`;

/** One account after the other, in the order of the bookings: one UPDATE of many would lock in no certain order. */
const TAKE_SEQUENCE = `UPDATE accounts SET sequence = sequence + $2 WHERE id = $1 RETURNING sequence`;

/** Tells when 80 and 100 % of a month's allowance are reached, each once a month and plan. */
export class AllowanceWarnings {
  /** `bookings` are in the order of their accounts. */
  async append(tx: Queryable, bookings: readonly Booking[]): Promise<void> {
    const news = bookings.filter((booking) => stepsReached(booking).length > 0);
    if (news.length === 0) return;
    await tx.query(NOTE_WARNED, [
      news.map((booking) => booking.accountId),
      news.map((booking) => booking.month),
      news.map((booking) => stepsReached(booking).at(-1)),
    ]);
    const events: RoutedEvent[] = [];
    for (const booking of news) events.push(...(await eventsOf(tx, booking)));
    await appendEvents(tx, events);
  }
}

/** Steps that `used` has reached and nobody was told of. */
function stepsReached({ limit, used, warned }: Booking): (80 | 100)[] {
  return STEPS.filter((step) => step > warned && used * 100 >= limit * step);
}

async function eventsOf(tx: Queryable, booking: Booking): Promise<RoutedEvent[]> {
  const { accountId, limit, used } = booking;
  const steps = stepsReached(booking);
  const { rows } = await tx.query<{ sequence: number }>(TAKE_SEQUENCE, [accountId, steps.length]);
  const at = new Date();
  return steps.map((percent, i) =>
    routedEvent({
      type: 'account.allowance_warning',
      data: { month: booking.month.slice(0, 7), limit, used, percent },
      accountId,
      key: accountId,
      sequence: rows[0].sequence - steps.length + 1 + i,
      domainId: null,
      test: false,
      at,
    }),
  );
}
