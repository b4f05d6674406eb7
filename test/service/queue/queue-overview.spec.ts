import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeAccount, type Visibility } from '#libs/contracts';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { QueueOverview } from '#libs/queue';
import type { QueueView } from '../../../libs/queue/src/queue.resource.js';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';

describe('the overview of waiting recipients', () => {
  let fixture: QueueFixture;
  let process: QueueProcess;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    process = await fixture.open();
  });
  afterAll(() => fixture?.close());

  /** Each with a result of its own. */
  const list = (visibility: Visibility = wholeAccount(fixture.accountId)): Promise<QueueView[]> =>
    new QueueOverview(fixture.db.database).list(visibility);
  const of = async (domain: string): Promise<QueueView[]> => (await list()).filter((queue) => queue.domain === domain);
  const accept = (address: string, over: Parameters<typeof submission>[1] = {}) =>
    process.intake.accept(submission(fixture.accountId, { toAddresses: [address], ...over }));
  const claimFor = async (domain: string) => {
    const jobs = await process.queue.claim(10, { perDomain: 0, byDomain: { [domain]: 10 } });
    return jobs[0];
  };
  const deferred: Outcome = {
    key: '0',
    kind: 'deferred',
    class: 'deferral',
    phase: 'rcpt',
    certainty: 'not_sent',
    reply: { code: 451, enhanced: '4.7.1', text: 'try again later' },
    remote: { ...NO_REMOTE, mx: 'mx.retry.example', ip: '192.0.2.1' },
    startedAt: new Date(),
    endedAt: new Date(),
  };

  it('shows what is due, being delivered, deferred, throttled and scheduled', async () => {
    for (const domain of ['due.example', 'sending.example', 'retry.example', 'held.example'])
      await accept(`a@${domain}`);
    await accept('b@due.example', { priority: 'bulk' });
    const scheduledAt = new Date(Date.now() + 3_600_000);
    await accept('a@later.example', { scheduledAt });
    await claimFor('sending.example');
    await process.queue.settle(await claimFor('retry.example'), [deferred]);
    const until = new Date(Date.now() + 600_000);
    await process.queue.requeue(await claimFor('held.example'), until, {
      kind: 'suspended',
      queue: 'yahoo',
      source: null,
      text: 'Mail to yahoo is paused.',
      words: '421 4.7.0 [TSS04] deferred',
      mx: 'mta5.example',
    });
    const [due] = await of('due.example');
    expect(due).toMatchObject({
      recipients: 2,
      bulk: 1,
      waiting_for: 'worker',
      code: null,
      host: null,
      next_attempt_at: null,
    });
    expect(Date.parse(due.oldest_due_at ?? '')).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(await of('sending.example')).toMatchObject([{ recipients: 1, waiting_for: 'answer', oldest_due_at: null }]);
    expect(await of('retry.example')).toMatchObject([
      {
        waiting_for: 'retry',
        code: 451,
        host: 'mx.retry.example',
        reason: expect.stringContaining('mx.retry.example answered: 451 ') as string,
        oldest_due_at: null,
        next_attempt_at: expect.any(String) as string,
      },
    ]);
    expect(await of('held.example')).toMatchObject([
      {
        waiting_for: 'shaping',
        code: 421,
        host: 'mta5.example',
        reason: 'Mail to yahoo is paused. mta5.example answered: 421 4.7.0 [TSS04] deferred',
        next_attempt_at: until.toISOString(),
      },
    ]);
    expect(await of('later.example')).toMatchObject([
      { waiting_for: 'schedule', next_attempt_at: scheduledAt.toISOString() },
    ]);
  });

  it('names the mailbox provider of a known domain', async () => {
    await accept('a@gmail.com');
    expect(await of('gmail.com')).toMatchObject([{ provider: 'google' }]);
    expect(await of('due.example')).toMatchObject([{ provider: 'due.example' }]);
  });

  it('shows nothing of other accounts, of hidden domains, and only test messages to a test key', async () => {
    const all = await list();
    const { accountId } = fixture;
    expect(await list(wholeAccount('acc_other'))).toEqual([]);
    expect(await list({ accountId, mode: 'live', domainIds: new Set(['dom_other']) })).toEqual([]);
    const { rows } = await fixture.db.database.query<{ id: string }>('SELECT id FROM domains');
    expect(await list({ accountId, mode: 'live', domainIds: new Set([rows[0].id]) })).toEqual(all);
    await accept('a@test.example', { mode: 'test' });
    expect(await list({ accountId, mode: 'test', domainIds: null })).toMatchObject([{ domain: 'test.example' }]);
  });

  it('says that messages of a blocked account are held', async () => {
    await process.accounts.setStanding(fixture.accountId, 'blocked');
    expect(await of('due.example')).toMatchObject([{ waiting_for: 'account' }]);
  });

  it('shares one query between accounts and calls', async () => {
    let queries = 0;
    const database = fixture.db.database;
    const overview = new QueueOverview({
      query: (...args: Parameters<typeof database.query>) => {
        queries += 1;
        return database.query(...args);
      },
    } as typeof database);
    await Promise.all([1, 2, 3].map((n) => overview.list(wholeAccount(`acc_${n}`))));
    await overview.list(wholeAccount(fixture.accountId));
    expect(queries).toBe(1);
  });
});
