import { wholeAccount } from '#libs/contracts';
import type { GetSuppressionResponseSuccess, ListSuppressionsResponseSuccess } from 'resend';
import { describe, expect } from 'vitest';
import { SuppressionEntries } from '#libs/suppressions';
import { good, refused, timestamp, uuid } from '../../support/resend/resend-client.js';
import { resendTest } from '../../support/resend/resend-tests.js';

const NOBODYS = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';
const ODD = "o'hara+b/1@y.example.com";

const it = resendTest
  .extend(
    'add',
    ({ resend }) =>
      async (email: string): Promise<string> =>
        (await good(resend.suppressions.add({ email }))).id,
  )
  /** As the queue does when a message bounces. */
  .extend(
    'suppressed',
    ({ gateway, own }) =>
      async (address: string, origin: 'bounce' | 'complaint' | 'unsubscribe'): Promise<void> => {
        const sourceId = 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa';
        await gateway.app
          .get(SuppressionEntries)
          .add(wholeAccount(own.accountId), [{ address, origin, reason: null, sourceId }]);
      },
  );

describe('resend.suppressions', () => {
  it('adds an address and shows it, by id and by address', async ({ resend, add }) => {
    const id = await add(' Ada@Example.com ');
    const entry = {
      object: 'suppression',
      id,
      email: 'ada@example.com',
      origin: 'manual',
      source_id: null,
      created_at: timestamp(),
    } satisfies GetSuppressionResponseSuccess;
    expect([id, await add('ADA@example.com')]).toEqual([uuid(), id]);
    for (const name of [id, 'ada@example.com', 'ADA@EXAMPLE.COM', `sup_${id.replaceAll('-', '')}`])
      expect(await good(resend.suppressions.get(name))).toEqual(entry);
  });

  it('takes addresses with characters that a URL has other uses for', async ({ resend, add }) => {
    const id = await add(ODD);
    expect(await good(resend.suppressions.get(ODD))).toMatchObject({ id, email: ODD });
    expect(await good(resend.suppressions.remove(ODD))).toEqual({ object: 'suppression', id, deleted: true });
    expect(await refused(resend.suppressions.get(ODD))).toEqual([404, 'not_found']);
  });

  it('removes by id and by address, and mail passes at once', async ({ own, resend, add }) => {
    const [first, second] = [await add('ada@example.com'), await add('bob@example.com')];
    expect(await good(resend.suppressions.remove(first))).toEqual({ object: 'suppression', id: first, deleted: true });
    expect(await good(resend.suppressions.remove('bob@example.com'))).toMatchObject({ id: second, deleted: true });
    expect(await refused(resend.suppressions.remove(first))).toEqual([404, 'not_found']);
    const mail = { from: `orders@${own.domain}`, to: 'ada@example.com', subject: 'Hi', text: 'Hi' };
    expect(await good(resend.emails.send(mail))).toMatchObject({ id: uuid() });
  });

  it('keeps a complaint, unless force says otherwise', async ({ gateway, own, resend, suppressed }) => {
    await suppressed('ada@example.com', 'complaint');
    expect(await refused(resend.suppressions.remove('ada@example.com'))).toEqual([422, 'validation_error']);
    const forced = await gateway.agent(own.key).delete('/resend/suppressions/ada@example.com?force=true');
    expect([forced.status, forced.body]).toMatchObject([200, { deleted: true }]);
  });

  it.for([
    [{ email: 'nobody' }, 'validation_error'],
    [{ email: 7 }, 'validation_error'],
    [{ email: 'Ada <ada@example.com>' }, 'validation_error'],
    [{}, 'missing_required_field'],
  ])('refuses to add %j', async ([options, name], { resend }) => {
    expect(await refused(resend.suppressions.add(options as never))).toEqual([
      name === 'validation_error' ? 400 : 422,
      name,
    ]);
  });

  it.for([NOBODYS, 'nonsense', 'bob@example.com', 'batch', '%00'])('knows no %s', async (name, { resend }) => {
    expect(await refused(resend.suppressions.get(name))).toEqual([404, 'not_found']);
    expect(await refused(resend.suppressions.remove(name))).toEqual([404, 'not_found']);
  });
});

describe('resend.suppressions.list', () => {
  it('goes forth and back in pages, newest first', async ({ resend, add }) => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`);
    const ids: string[] = [];
    for (const name of names) ids.unshift(await add(name));
    const list: ListSuppressionsResponseSuccess = await good(resend.suppressions.list({ limit: 3 }));
    expect(list).toMatchObject({ object: 'list', has_more: true });
    expect(list.data.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(list.data[0]).toEqual({
      id: ids[0],
      email: 'd@example.com',
      origin: 'manual',
      source_id: null,
      created_at: timestamp(),
    });
    const next = await good(resend.suppressions.list({ after: ids[2] }));
    expect([next.has_more, next.data.map(({ email }) => email)]).toEqual([false, ['a@example.com']]);
    const back = await good(resend.suppressions.list({ before: ids[3], limit: 2 }));
    expect([back.has_more, back.data.map(({ id }) => id)]).toEqual([true, ids.slice(1, 3)]);
  });

  it('finds origins; who unsubscribed is among those put on by hand', async ({ resend, add, suppressed }) => {
    await suppressed('bounced@example.com', 'bounce');
    await suppressed('complained@example.com', 'complaint');
    await add('first@example.com');
    await suppressed('unsubscribed@example.com', 'unsubscribe');
    await add('second@example.com');
    const page = async (options: Parameters<typeof resend.suppressions.list>[0]) => {
      const { data, has_more } = await good(resend.suppressions.list(options));
      return [has_more, ...data.map(({ email }) => email.replace('@example.com', ''))];
    };
    expect(await page({ origin: 'bounce' })).toEqual([false, 'bounced']);
    expect(await page({ origin: 'complaint' })).toEqual([false, 'complained']);
    expect(await page({ origin: 'manual' })).toEqual([false, 'second', 'unsubscribed', 'first']);
    expect(await page({ origin: 'manual', limit: 2 })).toEqual([true, 'second', 'unsubscribed']);
    const { data } = await good(resend.suppressions.list());
    expect(data.map(({ origin, source_id }) => [origin, source_id])).toEqual([
      ['manual', null],
      ['manual', NOBODYS],
      ['manual', null],
      ['complaint', NOBODYS],
      ['bounce', NOBODYS],
    ]);
    const [second, , first] = data;
    expect(await page({ origin: 'manual', after: second.id })).toEqual([false, 'unsubscribed', 'first']);
    expect(await page({ origin: 'manual', before: first.id, limit: 1 })).toEqual([true, 'unsubscribed']);
  });

  it('refuses other words', async ({ resend }) => {
    expect(await refused(resend.suppressions.list({ origin: 'spam' as never }))).toEqual([422, 'invalid_parameter']);
    expect(await refused(resend.suppressions.list({ after: 'x' }))).toEqual([400, 'validation_error']);
  });
});

describe('resend.suppressions.batch', () => {
  it('adds in order, and those that are there already too', async ({ resend, add }) => {
    const id = await add('bob@example.com');
    const { data } = await good(resend.suppressions.batch.add({ emails: ['ada@example.com', 'bob@example.com'] }));
    expect(data).toEqual([
      { object: 'suppression', id: uuid() },
      { object: 'suppression', id },
    ]);
  });

  it('removes by address and by id, and tells what was there', async ({ resend, add, suppressed }) => {
    const [ada, bob, carol] = [await add('ada@example.com'), await add('bob@example.com'), await add('c@example.com')];
    await suppressed('dave@example.com', 'complaint');
    const dave = (await good(resend.suppressions.get('dave@example.com'))).id;
    const emails = ['ada@example.com', 'nobody@example.com', 'dave@example.com'];
    expect(await good(resend.suppressions.batch.remove({ emails }))).toEqual({
      data: [
        { object: 'suppression', id: ada, deleted: true },
        { object: 'suppression', id: dave, deleted: false },
      ],
    });
    expect(await good(resend.suppressions.batch.remove({ ids: [bob, NOBODYS, carol] }))).toEqual({
      data: [
        { object: 'suppression', id: bob, deleted: true },
        { object: 'suppression', id: NOBODYS, deleted: false },
        { object: 'suppression', id: carol, deleted: true },
      ],
    });
    expect((await good(resend.suppressions.list())).data.map(({ email }) => email)).toEqual(['dave@example.com']);
  });

  it('has 1 to 100 of one kind', async ({ resend }) => {
    const { batch } = resend.suppressions;
    const many = Array.from({ length: 101 }, (_, i) => `user${i}@example.com`);
    expect(await refused(batch.add({ emails: [] }))).toEqual([400, 'validation_error']);
    expect(await refused(batch.add({ emails: many }))).toEqual([400, 'validation_error']);
    expect((await good(batch.add({ emails: many.slice(1) }))).data).toHaveLength(100);
    expect((await good(batch.remove({ emails: many.slice(1) }))).data).toHaveLength(100);
    expect(await refused(batch.add({} as never))).toEqual([422, 'missing_required_field']);
    expect(await refused(batch.remove({} as never))).toEqual([422, 'missing_required_field']);
    const both = { emails: ['a@example.com'], ids: [NOBODYS] };
    expect(await refused(batch.remove(both as never))).toEqual([400, 'validation_error']);
    expect(await refused(batch.remove({ ids: ['x'] }))).toEqual([400, 'validation_error']);
    expect(await refused(batch.remove({ ids: [{ toString: 'x' }] } as never))).toEqual([400, 'validation_error']);
  });
});
