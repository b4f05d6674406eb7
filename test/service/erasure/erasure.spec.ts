import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AuditLog } from '#libs/accounts';
import { wholeAccount, type AddressErasure } from '#libs/contracts';
import { Erasures, ErasureRunner } from '#libs/erasure';
import { Log, SecretBox } from '#libs/kernel';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import type { StatsStore } from '#libs/stats';
import { SuppressionCache, SuppressionEntries, SuppressionList } from '#libs/suppressions';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';
import { tablesWithText } from '../../support/persistence/find-text.js';
import { LOG_EVENTS } from '../../support/persistence/test-database.js';

const ADDRESS = 'ada.erase@recipient.example';
const WRITTEN = 'Ada.Erase@recipient.example';

const COLUMNS = 'event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data';

describe('the erasure of a recipient', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  let erasures: Erasures;
  /** What the statistics store was asked to erase; the store itself has tests of its own. */
  const inStats: AddressErasure[] = [];
  const lines: string[] = [];
  const stats = {
    eraseRecipient: (erasure: AddressErasure) => Promise.resolve(inStats.push(erasure)),
  } as unknown as StatsStore;

  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
    const { database, config } = fixture.db;
    erasures = new Erasures(database, new SecretBox(config.masterKey), config, new AuditLog());
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    inStats.length = 0;
    vi.restoreAllMocks();
    for (const table of [
      'emails',
      'recipients',
      'email_contents',
      'outbox',
      'attempts',
      'suppressions',
      'event_log',
      'event_log_accounts',
      'erasures',
    ])
      await rows(`DELETE FROM ${table}`);
  });

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  const newRunner = () => {
    const { database, config } = fixture.db;
    const log = new Log(pino({}, { write: (line: string) => lines.push(line) }));
    return new ErasureRunner(database, stats, new SecretBox(config.masterKey), log);
  };
  const request = (address = WRITTEN) => erasures.request(fixture.accountId, address, { actor: 'key_test' });
  const find = (id: string) => erasures.find(fixture.accountId, id);
  /** Runs all steps without the waits between them, and moves the outbox as the sequencer does. */
  async function runAll(id: string, runner = newRunner()): Promise<void> {
    for (let rounds = 0; (await find(id))?.status !== 'completed'; rounds++) {
      if (rounds > 60) throw new Error(`the erasure does not end: ${lines.at(-1)}`);
      await rows('UPDATE erasures SET due_at = now(), claimed_until = NULL');
      await runner.round();
      await moveOutbox();
    }
  }
  const moveOutbox = () =>
    rows(`WITH moved AS (DELETE FROM outbox RETURNING *, cardinality(sequence) AS events),
               inserted AS (
                 INSERT INTO event_log (first_position, count, moved_at, event_ids, ${COLUMNS})
                 SELECT (SELECT coalesce(max(first_position + count), 1) FROM event_log) + sum(events) OVER (ORDER BY id) - events,
                        events, now(), event_id_range(event_id[1], event_id[1], '[]'), ${COLUMNS} FROM moved
                 RETURNING *)
          INSERT INTO event_log_accounts (account_id, first_position, count, moved_at, has_test)
          SELECT DISTINCT account, first_position, count, moved_at, false FROM inserted, unnest(account_id) AS account`);
  const accept = (toAddresses: string[], over: Parameters<typeof submission>[1] = {}) =>
    program.intake.accept(submission(fixture.accountId, { toAddresses, ...over }));
  const delivered = (ordinal: number): Outcome => ({
    key: String(ordinal),
    kind: 'delivered',
    reply: { code: 250, enhanced: '2.0.0', text: `taken for <${WRITTEN}>` },
    remote: { ...NO_REMOTE, mx: 'mx.example' },
    startedAt: new Date(),
    endedAt: new Date(),
  });
  async function deliver(): Promise<void> {
    for (const job of await program.queue.claim(100))
      await program.queue.settle(
        job,
        job.recipients.map(({ ordinal }) => delivered(ordinal)),
      );
  }
  async function tablesWith(text: string): Promise<string[]> {
    const client = new Client(fixture.db.url);
    await client.connect();
    try {
      return await tablesWithText(client, text);
    } finally {
      await client.end();
    }
  }

  it('removes the address from every table, in messages to others too, and keeps the rows', async () => {
    const { id: email } = await accept([WRITTEN, 'bob@recipient.example'], {
      tags: { user: ADDRESS },
      subject: ADDRESS,
    });
    await deliver();
    await rows(
      `INSERT INTO inbound_messages (id, received_at, mail_from, rcpt_to, remote_ip, subject, verdict, email_id, size, raw, reported)
       VALUES ('inb_1', now(), $1, $2, '', $1, 'applied', $3, 1, $4, $2)`,
      ADDRESS,
      [ADDRESS],
      email,
      Buffer.from(`To: ${ADDRESS}`),
    );
    await moveOutbox();
    expect(await tablesWith(ADDRESS)).not.toEqual([]);
    const { id } = await request();
    await runAll(id);
    expect(await tablesWith(ADDRESS)).toEqual([]);
    expect((await tablesWith('bob@recipient.example')).length).toBeGreaterThan(2);
    const erasure = await find(id);
    expect(erasure).toMatchObject({
      status: 'completed',
      receipt: {
        erased: { messages: 1, recipients: 1, bodies: 1, attempts: 1, inbound_reports: 1 },
        waiting_messages: 0,
        finished_at: expect.any(String) as string,
      },
    });
    expect(await rows(`SELECT count(*)::int AS events FROM ${LOG_EVENTS} WHERE key = $1`, email)).toEqual([
      { events: 6 },
    ]);
    expect(inStats.map(({ needles }) => needles.includes(ADDRESS))).toEqual([true, true]);
  });

  it.each(['josé.erase@recipient.example', 'việt.erase@recipient.example', '한글@recipient.example'])(
    'removes every Unicode form of %s, whichever is asked for',
    async (composed) => {
      const forms = [composed, composed.normalize('NFD')];
      for (const asked of forms) {
        await accept([composed], { tags: { user: forms[0] }, subject: forms[1] });
        await accept([forms[1], 'bob@recipient.example'], { subject: 'Hello' });
        await deliver();
        await deliver();
        // A message of the time before addresses were normalised.
        await rows('UPDATE recipients SET address = $2 WHERE address = $1', composed, forms[1]);
        await moveOutbox();
        const { id } = await request(asked);
        await runAll(id);
        for (const form of forms) expect(await tablesWith(form)).toEqual([]);
        expect((await find(id))?.receipt.erased).toMatchObject({ messages: 2, recipients: 2 });
      }
    },
  );

  it('is resumed where it was after any number of kills, and repeats a batch without harm', async () => {
    for (let i = 0; i < 70; i++) await accept([WRITTEN]);
    await deliver();
    await deliver();
    const { id } = await request();
    // A program that is killed after each second batch has done its work, but has not stored its progress.
    let killed = 0;
    const { database } = fixture.db;
    const query = database.query.bind(database);
    vi.spyOn(database, 'query').mockImplementation((statement, values) => {
      if (typeof statement === 'string' && /SET step =/.test(statement) && (killed += 1) % 2 === 1)
        return Promise.reject(new Error('killed'));
      return query(statement, values);
    });
    await runAll(id);
    expect(killed).toBeGreaterThan(10);
    expect(await tablesWith(ADDRESS)).toEqual([]);
    expect(
      await rows('SELECT count(*)::int AS n FROM recipients WHERE address = $1', (await find(id))?.receipt.erased_as),
    ).toEqual([{ n: 70 }]);
  });

  it('replaces the address in answers kept for repeated requests, of this account alone', async () => {
    const answer = (text: string) => JSON.stringify([{ object: 'error', message: `${text} is not reachable.` }]);
    const keep = (scope: string, key: string, text: string) =>
      rows(`INSERT INTO idempotency_keys VALUES ($1, $2, '', $3)`, scope, key, answer(text));
    const own = `${fixture.accountId}:live:batch`;
    for (let i = 0; i < 3; i++) await keep(own, `key ${i}`, i === 1 ? 'Nobody' : WRITTEN);
    await keep('acc_other:live:batch', 'key', WRITTEN);
    const { id } = await request();
    await runAll(id);
    const kept = await rows<{ text: string }>(
      'SELECT response::text AS text FROM idempotency_keys ORDER BY scope, key',
    );
    expect(kept.filter(({ text }) => text.includes(WRITTEN))).toHaveLength(1);
    expect((await find(id))?.receipt.erased.stored_answers).toBe(2);
    await rows('DELETE FROM idempotency_keys');
  });

  it('is left alone while another program has it, and an outdated program stores nothing', async () => {
    const { id } = await request();
    await rows(`UPDATE erasures SET claimed_until = now() + interval '1 minute'`);
    expect(await newRunner().round()).toBe(false);
    await rows('UPDATE erasures SET claimed_until = NULL');
    const { database } = fixture.db;
    const query = database.query.bind(database);
    vi.spyOn(database, 'query').mockImplementation(async (statement, values) => {
      // Another program claims the erasure just before this one stores its progress.
      if (typeof statement === 'string' && /SET step =/.test(statement))
        await query('UPDATE erasures SET fence = fence + 1');
      return query(statement, values);
    });
    expect(await newRunner().round()).toBe(true);
    expect(await rows('SELECT step FROM erasures')).toEqual([{ step: 'messages' }]);
    vi.restoreAllMocks();
    await runAll(id);
    expect(await newRunner().round()).toBe(false);
  });

  it('cancels what has not been delivered, and waits for deliveries to others that need the content', async () => {
    const { id: alone } = await accept([WRITTEN]);
    const { id: together } = await accept([WRITTEN, 'bob@other.example']);
    const { id } = await request();
    const runner = newRunner();
    await runner.round();
    expect((await find(id))?.receipt.waiting_messages).toBe(1);
    const recipients = (email: string) =>
      rows('SELECT address, status FROM recipients WHERE email_id = $1 ORDER BY ordinal', email);
    const erasedAs = (await find(id))?.receipt.erased_as;
    expect(await recipients(alone)).toEqual([{ address: erasedAs, status: 'canceled' }]);
    expect(await recipients(together)).toMatchObject([{ status: 'canceled' }, { status: 'queued' }]);
    expect(await rows('SELECT email_id FROM email_contents')).toEqual([{ email_id: together }]);
    await deliver();
    await runAll(id, runner);
    expect(await recipients(together)).toEqual([
      { address: erasedAs, status: 'canceled' },
      { address: 'bob@other.example', status: 'delivered' },
    ]);
    expect(await tablesWith(ADDRESS)).toEqual([]);
  });

  it('leaves an entry that blocks the address, in lists of any length, and that can be removed', async () => {
    const { database, config } = fixture.db;
    const all = wholeAccount(fixture.accountId);
    const entries = new SuppressionEntries(database, new SuppressionCache(database, config));
    const reason = `Asked by ${WRITTEN}`;
    await entries.add(all, [{ address: ADDRESS, origin: 'manual', reason, sourceId: null }]);
    const { id } = await request();
    await runAll(id);
    expect(await tablesWith(ADDRESS)).toEqual([]);
    const blocks = async () => {
      const list = new SuppressionList(database, new SuppressionCache(database, config));
      return [
        await list.matching(fixture.accountId, [ADDRESS, 'bob@recipient.example']),
        (await list.listed(fixture.accountId, ADDRESS))?.origin,
      ];
    };
    expect(await blocks()).toEqual([new Map([[ADDRESS, 'manual']]), 'manual']);
    await rows(
      `INSERT INTO suppressions (id, account_id, address, origin) SELECT 'sup_' || n, $1, n || '@x.example', 'manual'
           FROM generate_series(1, 1001) AS n`,
      fixture.accountId,
    );
    expect(await blocks()).toEqual([new Map([[ADDRESS, 'manual']]), 'manual']);
    expect(await entries.find(all, { address: ADDRESS, domainId: null })).toMatchObject({ origin: 'manual' });
    const onRemoved = () => Promise.resolve();
    const [removal] = await entries.remove(all, [{ address: ADDRESS, domainId: null }], { force: false, onRemoved });
    expect(removal.outcome).toBe('removed');
    expect(await blocks()).toEqual([new Map(), undefined]);
  });

  it('is asked for once until it is completed, and again for what came after it', async () => {
    const first = await request();
    expect((await request(` ${ADDRESS.toUpperCase()} `)).id).toBe(first.id);
    expect(await rows('SELECT sealed FROM erasures')).toHaveLength(1);
    await runAll(first.id);
    expect(await rows('SELECT sealed FROM erasures')).toEqual([{ sealed: null }]);
    expect((await request()).id).not.toBe(first.id);
    expect(await erasures.find('acc_other', first.id)).toBeNull();
    expect(await erasures.find(fixture.accountId, 'ers_none')).toBeNull();
  });
});
