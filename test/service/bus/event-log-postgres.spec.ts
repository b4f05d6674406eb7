import { LiveLog, OutboxRelay, type EventBatch } from '#libs/bus';
import { newId, type RoutedEvent } from '#libs/contracts';
import { outbox, Database } from '#libs/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventLogSuite } from '../../../libs/bus/src/event-log.suite.js';
import { freshDatabase, type TestDatabase } from '../../support/persistence/database.js';
import { busProcess, logHarness, standaloneLogHarness } from '../../support/fixtures/log-harness.js';
import { until } from '../../support/timing/until.js';

const server = process.env['TEST_DATABASE_URL'] as string;
const TIMES = 20;

eventLogSuite('PostgreSQL', () => logHarness(server));
eventLogSuite('PostgreSQL, read where it is moved', () => standaloneLogHarness(server));

describe('the event log of PostgreSQL in one process', () => {
  let home: TestDatabase;
  let standalone: Awaited<ReturnType<typeof busProcess>>;
  beforeEach(async () => {
    home = await freshDatabase(server);
    standalone = await busProcess(home.url);
    await standalone.app.get(OutboxRelay).start();
  });
  afterEach(async () => {
    await standalone.stop();
    await home.drop();
  });

  it('gives its consumers the events as the log stores them', async () => {
    const batches: EventBatch[] = [];
    await standalone.log.consume({
      consumer: 'reader',
      batchSize: 100,
      handle: async (batch) => void batches.push(batch),
    });
    const given = () => batches.flatMap(({ events }) => events);
    const written = Array.from({ length: TIMES }, (_, i) => mailSent(i));
    for (const [i, event] of written.entries()) {
      await standalone.app.get(Database).transaction((tx) => outbox.append(tx, [event]));
      await until(async () => given().length > i);
    }
    const inTheLog = await standalone.app.get(LiveLog).read(0, 1_000);
    expect(JSON.stringify(given().map(inOrder))).toBe(JSON.stringify(inTheLog.map(inOrder)));
  });
});

/** So that the text of two events is equal when their data is, key for key; the fields around it have no order. */
const inOrder = ({ event, key, sequence, domainId, test, position }: EventBatch['events'][number]) => [
  [event.id, event.account_id, event.type, event.created_at, event.data],
  [key, sequence, domainId, test, position],
];

function mailSent(minute: number): RoutedEvent {
  const key = newId('em');
  return outbox.event({
    type: 'email.sent',
    data: {
      id: key,
      email_id: key,
      created_at: '2026-03-01T12:00:00.000Z',
      message_id: '<1@example.com>',
      from: 'a@example.com',
      to: ['ü@example.net'],
      subject: 'Grüße, "quoted" \\ and 😀',
      tags: { 10: 'ten', b: 'second', 9: 'nine', a: 'first' },
      recipient: 'ü@example.net',
      mode: undefined,
      attempt: 1,
    },
    accountId: newId('acc'),
    key,
    sequence: 1,
    domainId: minute % 2 === 0 ? null : newId('dom'),
    test: minute % 3 === 0,
    at: new Date(Date.UTC(2026, 2, 1, 12, minute, 0, minute)),
  });
}
