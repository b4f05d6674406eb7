import { newId, type EmittedType, type EventData, type RoutedEvent } from '#libs/contracts';
import { outbox, type Database } from '#libs/persistence';

export interface LiveEvent {
  accountId: string;
  domainId: string;
  type?: EmittedType;
  emailId?: string;
  test?: boolean;
  at?: Date;
  recipient?: string;
}

/** An event of a message, as the queue writes it, with the data that readers look at. */
function liveEvent(of: LiveEvent): RoutedEvent {
  const { type = 'email.delivered', emailId = newId('em'), test = false } = of;
  const data = {
    id: emailId,
    email_id: emailId,
    recipient: of.recipient ?? 'ada@example.com',
    tags: {},
    attempt: 1,
    ...(test ? { mode: 'test' } : {}),
  };
  return outbox.event({
    type,
    data: data as unknown as EventData[EmittedType],
    accountId: of.accountId,
    key: emailId,
    sequence: 1,
    domainId: of.domainId,
    test,
    at: of.at ?? new Date(),
  });
}

/** Appends events in one transaction; returns their ids in the order of the log. */
export async function happen(database: Database, events: readonly LiveEvent[]): Promise<string[]> {
  const routed = events.map(liveEvent);
  await database.transaction((tx) => outbox.append(tx, routed));
  // The log orders the events of a move by key.
  return routed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ event }) => event.id);
}
