import { lowestIdAt } from '#libs/contracts';
import { MessageBuilder } from '#libs/emails';
import { Database, Partitions, startOfDay, type Queryable } from '#libs/persistence';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Retention } from '../../../libs/emails/src/commands/retention.js';
import { DeliveryFixture } from '../../support/delivery/delivery-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

const DAY_MS = 86_400_000;
const AGE = 33;
const BIG = 'x'.repeat(20_000);
const attachments = [{ filename: 'terms.txt', content: Buffer.from(BIG).toString('base64') }];
const html = '<p>Hello <a href="https://shop.example/offer">offer</a></p>';

describe('emails that are still to be delivered when the partition of their day is dropped', () => {
  let gateway: GatewayApp;
  let fixture: DeliveryFixture;
  let retention: Retention;
  let account: Awaited<ReturnType<GatewayApp['account']>>;
  /** Each test has a day of its own. */
  let day = startOfDay(new Date(), -AGE);
  let others: string[];

  beforeAll(async () => {
    gateway = await startGatewayApp();
    fixture = await DeliveryFixture.open(gateway);
    retention = gateway.app.get(Retention);
    account = await gateway.account();
  }, 120_000);
  beforeEach(async () => {
    day = startOfDay(day, -1);
    await gateway.app.get(Partitions).createAhead(day, (_, error) => expect.unreachable(String(error)), 0);
    others = await Promise.all([send(), send()]);
    await fixture.deliver(() => 'delivered');
    others = await Promise.all(others.map(aged));
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => gateway?.stop());

  const api = () => gateway.agent(account.key);
  const sql = async <R>(text: string, ...values: unknown[]) => (await fixture.database.query<R>(text, values)).rows;
  const soon = (ms = 3_600_000) => new Date(Date.now() + ms).toISOString();
  async function send(over: object = {}): Promise<string> {
    const email = {
      from: `a@${account.domain}`,
      to: 'u@recipient.example',
      subject: 'Later',
      html,
      text: 'text',
      ...over,
    };
    const answer = await api().post('/emails').send(email);
    expect(answer.status, answer.text).toBe(201);
    return (answer.body as { id: string }).id;
  }
  /** Gives an email an id of the day. */
  async function aged(id: string): Promise<string> {
    const old = `${lowestIdAt('em', new Date(day.getTime() + 3_600_000)).slice(0, 15)}${id.slice(15)}`;
    await sql('UPDATE emails SET id = $2 WHERE id = $1', id, old);
    for (const table of ['recipients', 'attempts', 'email_tags', 'email_contents'])
      await sql(`UPDATE ${table} SET email_id = $2 WHERE email_id = $1`, id, old);
    return old;
  }
  const scheduled = async (over: object = {}) => aged(await send({ scheduled_at: soon(), attachments, ...over }));
  const partitionOf = (table: string) => `${table}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;
  const isThere = async (table: string) =>
    (await sql<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', table))[0].there;
  const bodyOf = async (id: string) =>
    (await sql<{ body: Buffer }>('SELECT body FROM email_contents WHERE email_id = $1', id)).map(({ body }) => body);
  const shown = async (id: string) => (await api().get(`/emails/${id}`)).body as { text: string | null; html: string };

  /** A process in which `happens` takes place before the transaction with this number; by default, it is killed. */
  function before(transaction: number, happens = (): Promise<void> => Promise.reject(new Error('killed'))): Retention {
    const { database } = fixture;
    let [done, isKilled] = [0, false];
    class Interrupted extends Database {
      override async transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
        if (done++ === transaction || isKilled) {
          isKilled = true;
          await happens();
          isKilled = false;
        }
        return super.transaction(work);
      }
    }
    const interrupted = new Interrupted(database.dataSource);
    return new Retention(interrupted, new Partitions(interrupted), (retention as unknown as { config: never }).config);
  }

  it('keep their body, which every reader finds and which is delivered unchanged', async () => {
    await api().patch(`/domains/${account.domainId}`).send({ open_tracking: true, click_tracking: true }).expect(200);
    const id = await scheduled();
    const bodies = await bodyOf(id);
    expect(
      (
        await api()
          .patch(`/emails/${id}`)
          .send({ scheduled_at: soon(7_200_000) })
      ).status,
    ).toBe(200);
    expect((await retention.contents()).dropped).toContain(partitionOf('email_contents'));
    expect(await isThere(partitionOf('email_contents'))).toBe(false);
    for (const other of others) expect((await shown(other)).text).toBeNull();
    expect(await bodyOf(id)).toEqual(bodies);
    expect(await shown(id)).toMatchObject({ text: 'text', html });
    const { data } = (await api().get(`/emails/${id}/attachments`)).body as { data: { id: string }[] };
    expect((await api().get(`/emails/${id}/attachments/${data[0].id}`)).body).toMatchObject({ filename: 'terms.txt' });
    await sql(`UPDATE recipients SET due_at = now() - interval '1 s' WHERE email_id = $1`, id);
    const [job] = await fixture.claim();
    expect(job.email.id).toBe(id);
    const content = await gateway.app.get(MessageBuilder).stored(job);
    expect(content?.body).toEqual(bodies[0]);
    // Claimed: another round while it is being delivered.
    await retention.contents();
    expect(await bodyOf(id)).toEqual(bodies);
    const message = Buffer.concat(await gateway.app.get(MessageBuilder).build(job, content!)).toString();
    expect(message).toContain('terms.txt');
    // Its links lead to the tracking of the service.
    expect(message).not.toContain('shop.example/offer');
    await fixture.settle([job], () => 'delivered');
    expect((await retention.contents()).dropped).toContain(`${partitionOf('email_contents')}_kept`);
    expect(await shown(id)).toMatchObject({ text: null });
  });

  it('keep it after a kill between any two steps', async () => {
    const ids = await Promise.all([scheduled(), scheduled(), scheduled({ attachments: [] })]);
    const bodies = await Promise.all(ids.map(bodyOf));
    for (let step = 0; await isThere(partitionOf('email_contents')); step++) {
      await before(step)
        .contents()
        .catch(() => undefined);
      expect(await Promise.all(ids.map(bodyOf)), `killed before transaction ${step}`).toEqual(bodies);
      expect(step).toBeLessThan(20);
    }
    await retention.contents();
    expect(await Promise.all(ids.map(bodyOf))).toEqual(bodies);
    expect(bodies.every((found) => found.length === 1)).toBe(true);
    for (const other of others) expect(await bodyOf(other)).toEqual([]);
  });

  it('keep it once with several programs at work, and while it is read', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => scheduled()));
    const bodies = await Promise.all(ids.map(bodyOf));
    let isDone = false;
    const reader = (async () => {
      for (let reads = 0; ; reads++) {
        if (isDone) return reads;
        const id = ids[reads % ids.length];
        const { rows } = await fixture.database.query({
          name: 'queue-content',
          text: 'SELECT format, body FROM email_contents WHERE email_id = $1',
          values: [id],
        });
        expect(rows, `read ${reads}`).toHaveLength(1);
      }
    })();
    const rounds = await Promise.allSettled(Array.from({ length: 5 }, () => retention.contents()));
    await retention.contents();
    isDone = true;
    expect(await reader).toBeGreaterThan(0);
    const dropped = rounds.flatMap((round) => (round.status === 'fulfilled' ? round.value.dropped : []));
    expect(dropped.filter((name) => name === partitionOf('email_contents')).length).toBeLessThanOrEqual(1);
    expect(await isThere(partitionOf('email_contents'))).toBe(false);
    expect(await Promise.all(ids.map(bodyOf))).toEqual(bodies);
    for (const other of others) expect(await bodyOf(other)).toEqual([]);
  });

  it('stay deleted if they were deleted while the rows were copied', async () => {
    const [erased, kept] = [await scheduled(), await scheduled()];
    const bodies = await bodyOf(kept);
    // The copy is complete, and the partition not yet dropped.
    for (let step = 0; !(await copied('email_contents', kept)); step++)
      await before(step)
        .contents()
        .catch(() => undefined);
    expect(await isThere(partitionOf('email_contents'))).toBe(true);
    await api().post(`/emails/${erased}/cancel`);
    await sql('DELETE FROM email_contents WHERE email_id = $1', erased);
    await retention.contents();
    expect(await isThere(partitionOf('email_contents'))).toBe(false);
    expect(await bodyOf(erased)).toEqual([]);
    expect(await bodyOf(kept)).toEqual(bodies);
  });

  async function copied(table: string, id: string): Promise<boolean> {
    const copy = `${partitionOf(table)}_kept`;
    if (!(await isThere(copy))) return false;
    return (await sql(`SELECT FROM ${copy} WHERE email_id = $1`, id)).length === 1;
  }

  it('keep their attempts, also those that are made meanwhile', async () => {
    const id = await aged(await send());
    await fixture.deliver(() => 'deferred');
    const made = () => sql<{ id: string; number: number }>('SELECT id, number FROM attempts WHERE email_id = $1', id);
    const [first] = await made();
    expect(first.number).toBe(1);
    const at = new Date(day.getTime() + 93 * DAY_MS);
    // The copy is complete, and the partition not yet dropped.
    const recorded = before(2, async () => {
      expect(await copied('attempts', id)).toBe(true);
      await sql('UPDATE recipients SET due_at = now() WHERE email_id = $1', id);
      await fixture.deliver(() => 'deferred');
    });
    expect((await recorded.attempts(at)).dropped).toContain(partitionOf('attempts'));
    expect((await made()).map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([1, 2]);
    for (const other of others) expect(await sql('SELECT FROM attempts WHERE email_id = $1', other)).toEqual([]);
    await sql('UPDATE recipients SET due_at = now() WHERE email_id = $1', id);
    await fixture.deliver(() => 'delivered');
    await retention.attempts(at);
    expect(await made()).toEqual([]);
  });

  it('do not keep the others, which are deleted when their time is over', async () => {
    const id = await scheduled();
    const at = new Date(day.getTime() + 92 * DAY_MS);
    const since = new Date(day.getTime() + 3_600_000 + 90 * DAY_MS);
    expect(await retention.overdueSince('messages', at)).toEqual(since);
    await retention.prune(at);
    expect(await retention.overdueSince('messages', at)).toBeNull();
    for (const other of others) expect((await api().get(`/emails/${other}`)).status).toBe(404);
    expect(await shown(id)).toMatchObject({ text: 'text' });
  });
});
