import type { EventData, SendingPause } from '#libs/contracts';
import { databaseClock } from '#libs/kernel';
import { outbox, requestNotice, type Queryable } from '#libs/persistence';
import { forgetOutcomes } from './sending-outcomes.js';

type ChangeType = 'account.paused' | 'account.resumed';

interface Change<T extends ChangeType> {
  type: T;
  data: EventData[T];
  accountId: string;
  sequence: number;
  at: Date;
}

/** Pauses the sending of an account, with its event and notice. False if it is paused already. */
export async function pauseSending(tx: Queryable, accountId: string, pause: SendingPause): Promise<boolean> {
  const { rows } = await tx.query<{ sequence: number }>(
    `UPDATE accounts SET sending_pause = $2, sequence = sequence + 1
      WHERE id = $1 AND sending_pause IS NULL RETURNING sequence`,
    [accountId, JSON.stringify(pause)],
  );
  if (rows.length === 0) return false;
  const change = { accountId, sequence: rows[0].sequence, at: new Date(pause.paused_at) };
  await announce(tx, { type: 'account.paused', data: pause, ...change });
  return true;
}

/** Lifts a pause; the counts begin anew, so that the old ones do not pause the account again. False if there is none. */
export async function resumeSending(tx: Queryable, accountId: string): Promise<boolean> {
  const { rows } = await tx.query<{ sequence: number }>(
    `UPDATE accounts SET sending_pause = NULL, sequence = sequence + 1
      WHERE id = $1 AND sending_pause IS NOT NULL RETURNING sequence`,
    [accountId],
  );
  if (rows.length === 0) return false;
  await forgetOutcomes(tx, accountId);
  const at = databaseClock.date();
  const data = { resumed_at: at.toISOString() };
  await announce(tx, { type: 'account.resumed', data, accountId, sequence: rows[0].sequence, at });
  return true;
}

async function announce<T extends ChangeType>(tx: Queryable, { type, data, ...change }: Change<T>): Promise<void> {
  const { accountId, sequence, at } = change;
  const event = outbox.event({ type, data, accountId, key: accountId, sequence, domainId: null, test: false, at });
  await outbox.append(tx, [event]);
  await requestNotice(tx, { accountId, kind: type, facts: data as never });
}
