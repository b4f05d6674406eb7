import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { answerOf, entryAt, inMs, SuppressionsFixture } from '../../support/fixtures/suppressions-fixture.js';
import { LOG_EVENTS, OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

let fixture: SuppressionsFixture;

beforeAll(async () => {
  fixture = await SuppressionsFixture.open();
});
beforeEach(() => fixture.newAccounts());

const send = (to: string) =>
  answerOf(fixture.agent.post('/emails').send({ from: `shop@${fixture.mine.domain}`, to, subject: 'Hi', text: 'Hi' }));

describe('POST /suppressions', () => {
  it('answers 201 with the entry, in the form in which addresses are compared', async () => {
    expect(
      await answerOf(fixture.agent.post('/suppressions').send({ email: ' User@BÜCHER.example ', reason: 'asked us' })),
    ).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^sup_[0-9a-f]{32}$/) as string,
        object: 'suppression',
        email: 'user@xn--bcher-kva.example',
        origin: 'manual',
        reason: 'asked us',
        source_id: null,
        scope: 'account',
        domain_id: null,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        expires_at: null,
        evidence: null,
      },
    });
  });

  it('answers 200 with the entry that is there, however the address is written', async () => {
    await fixture.addAs('bounce', 'user@example.net');
    const first = await answerOf(fixture.agent.get(entryAt('user@example.net')));
    const again = await answerOf(
      fixture.agent.post('/suppressions').send({ email: 'USER@example.NET', reason: 'mine' }),
    );
    expect(again).toEqual({ status: 200, body: first.body });
  });

  it('takes an expired entry for none, and a longer one in the place of a shorter', async () => {
    const short = await fixture.add('a@example.net', { expires_at: inMs(400) });
    const long = await answerOf(
      fixture.agent.post('/suppressions').send({ email: 'a@example.net', expires_at: inMs(60_000) }),
    );
    expect([long.status, long.body.id === short.id]).toEqual([201, false]);
    await fixture.add('b@example.net', { expires_at: inMs(200) });
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect((await answerOf(fixture.agent.get(entryAt('b@example.net')))).status).toBe(404);
    expect((await send('b@example.net')).status).toBe(201);
    expect(await fixture.listed('')).toEqual(['a@example.net']);
    expect(await fixture.listed('expired=true')).toEqual(['b@example.net', 'a@example.net']);
    expect((await answerOf(fixture.agent.post('/suppressions').send({ email: 'b@example.net' }))).status).toBe(201);
  });

  it('names every problem at once', async () => {
    const bad = { email: 'Jo <jo@example.net>', reason: 'a\nb', expires_at: '2020-01-01T00:00:00Z', domain_id: 'x' };
    const { status, body } = await answerOf(fixture.agent.post('/suppressions').send(bad));
    expect([status, body.details.map(({ field, code }) => [field, code])]).toEqual([
      400,
      [
        ['email', 'invalid_address'],
        ['reason', 'invalid_characters'],
        ['expires_at', 'in_the_past'],
        ['domain_id', 'invalid_id'],
      ],
    ]);
    const none = await answerOf(fixture.agent.post('/suppressions').send({}));
    expect(none).toMatchObject({
      status: 400,
      body: { name: 'missing_required_field', details: [{ field: 'email' }] },
    });
  });

  it('stops mail of one domain only, which has to be the own', async () => {
    const entry = await fixture.add('user@example.net', { domain_id: fixture.mine.domainId });
    expect(entry).toMatchObject({ scope: 'domain', domain_id: fixture.mine.domainId });
    const bare = await answerOf(fixture.agent.post('/suppressions').send({ email: 'user@example.net' }));
    expect([bare.status, bare.body['scope']]).toEqual([201, 'account']);
    const domains = [fixture.theirs.domainId, newId('dom')];
    const answers = await Promise.all(
      domains.map((domain_id) =>
        answerOf(fixture.agent.post('/suppressions').send({ email: 'b@example.net', domain_id })),
      ),
    );
    const unknown = { status: 400, body: { details: [{ field: 'domain_id', code: 'unknown_domain' }] } };
    expect(answers).toMatchObject([unknown, unknown]);
  });
});

describe('GET /suppressions', () => {
  it('shows what the filters name, newest first, and nothing of others', async () => {
    await fixture.add('anna@one.example');
    await fixture.add('ANTON@two.example');
    await fixture.addAs('bounce', 'berta@one.example');
    await fixture.add('ann_@one.example', { domain_id: fixture.mine.domainId });
    await answerOf(fixture.otherAgent.post('/suppressions').send({ email: 'anna@theirs.example' }));
    const all = ['ann_@one.example', 'berta@one.example', 'anton@two.example', 'anna@one.example'];
    expect(await fixture.listed('')).toEqual(all);
    expect(await fixture.listed('origin=bounce')).toEqual(['berta@one.example']);
    expect(await fixture.listed('q=AN')).toEqual(['ann_@one.example', 'anton@two.example', 'anna@one.example']);
    expect(await fixture.listed('q=ann_')).toEqual(['ann_@one.example']);
    expect(await fixture.listed('q=ann%25')).toEqual([]);
    expect(await fixture.listed('q=anna@one')).toEqual(['anna@one.example']);
    expect(await fixture.listed('q=@ONE.example')).toEqual([
      'ann_@one.example',
      'berta@one.example',
      'anna@one.example',
    ]);
    expect(await fixture.listed('q=@one')).toEqual([]);
    expect(await fixture.listed(`domain_id=${fixture.mine.domainId}`)).toEqual(['ann_@one.example']);
    expect(await fixture.listed(`domain_id=${fixture.theirs.domainId}`)).toEqual([]);
    expect(await fixture.listed('origin=manual&q=@one.example')).toEqual(['ann_@one.example', 'anna@one.example']);
  });

  it.each(['', 'q=u', 'q=@example.net', 'origin=manual'])('pages in both directions (%s)', async (filter) => {
    const names = Array.from({ length: 5 }, (_, i) => `u${i}@example.net`);
    for (const name of names) await fixture.add(name);
    const first = (await answerOf(fixture.agent.get(`/suppressions?${filter}&limit=2`))).body;
    const second = (
      await answerOf(fixture.agent.get(`/suppressions?${filter}&limit=2&after=${String(first['next_cursor'])}`))
    ).body;
    const third = (
      await answerOf(fixture.agent.get(`/suppressions?${filter}&limit=2&after=${String(second['next_cursor'])}`))
    ).body;
    const pages = [first, second, third];
    expect(pages.map(({ data }) => data.map(({ email }) => email))).toEqual([
      ['u4@example.net', 'u3@example.net'],
      ['u2@example.net', 'u1@example.net'],
      ['u0@example.net'],
    ]);
    expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false]);
    expect(third['next_cursor']).toBeNull();
    const back = (
      await answerOf(fixture.agent.get(`/suppressions?${filter}&limit=2&before=${String(third.data[0]['id'])}`))
    ).body;
    expect(back.data).toEqual(second.data);
  });

  it.each(['origin=spam', 'q=', 'domain_id=x', 'expired=1', 'limit=0', 'after=em_1', 'q=a&q=b', 'q=%00'])(
    'refuses %s',
    async (query) => {
      expect((await answerOf(fixture.agent.get(`/suppressions?${query}`))).status).toBe(400);
    },
  );
});

describe('one entry', () => {
  it('is found by its address in URL encoding and by its id', async () => {
    const entry = await fixture.add('b+1@y.example');
    for (const path of [
      `/suppressions/b%2B1%40y.example`,
      `/suppressions/${entry.id}`,
      '/v1/suppressions/B+1@Y.example',
    ])
      expect(await answerOf(fixture.agent.get(path))).toEqual({ status: 200, body: entry });
    const domains = await fixture.add('b+1@y.example', { domain_id: fixture.mine.domainId });
    expect(
      (await answerOf(fixture.agent.get(`${entryAt('b+1@y.example')}?domain_id=${fixture.mine.domainId}`))).body,
    ).toEqual(domains);
    for (const path of ['/suppressions/nobody@y.example', '/suppressions/nothing', `/suppressions/${newId('sup')}`])
      expect((await answerOf(fixture.agent.get(path))).status).toBe(404);
    expect((await answerOf(fixture.otherAgent.get(`/suppressions/${entry.id}`))).status).toBe(404);
  });

  it('is removed at once, with an event and an entry of the audit log; a second time it is not there', async () => {
    const entry = await fixture.add('user@example.net');
    expect((await send('User@example.net')).status).toBe(422);
    expect((await answerOf(fixture.otherAgent.delete(entryAt('user@example.net')))).status).toBe(404);
    const removed = await answerOf(fixture.agent.delete(entryAt('USER@example.net')));
    const answer = { object: 'suppression', id: entry.id, email: 'user@example.net', deleted: true };
    expect(removed).toEqual({ status: 200, body: answer });
    expect((await send('User@example.net')).status).toBe(201);
    expect((await answerOf(fixture.agent.delete(entryAt('user@example.net')))).status).toBe(404);
    expect(await fixture.audited()).toEqual([
      {
        actor: expect.stringMatching(/^key_/) as string,
        action: 'suppression.removed',
        target: entry.id,
        details: { email: 'user@example.net', origin: 'manual', source_id: null, domain_id: null, force: false },
      },
    ]);
    const text = `SELECT type, sequence FROM ${OUTBOX_EVENTS} WHERE key = $1 UNION ALL
                  SELECT type, sequence FROM ${LOG_EVENTS} WHERE key = $1 ORDER BY sequence`;
    const { rows } = await fixture.gateway.app.get(Database).query(text, [entry.id]);
    expect(rows).toEqual([
      { type: 'suppression.added', sequence: 1 },
      { type: 'suppression.removed', sequence: 2 },
    ]);
  });

  it('that is a complaint is removed by force only', async () => {
    await fixture.addAs('complaint', 'angry@example.net');
    const refused = await answerOf(fixture.agent.delete(entryAt('angry@example.net')));
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 'conflict', details: [{ field: 'force', code: 'complaint_needs_force' }] },
    });
    expect((await send('angry@example.net')).status).toBe(422);
    expect((await answerOf(fixture.agent.delete(`${entryAt('angry@example.net')}?force=yes`))).status).toBe(400);
    expect((await answerOf(fixture.agent.delete(`${entryAt('angry@example.net')}?force=true`))).status).toBe(200);
    expect((await send('angry@example.net')).status).toBe(201);
    expect(await fixture.audited()).toMatchObject([{ details: { origin: 'complaint', force: true } }]);
  });

  it('is removed once by two who ask at the same moment', async () => {
    await fixture.add('user@example.net');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => answerOf(fixture.agent.delete(entryAt('user@example.net')))),
    );
    const removed = answers.filter(({ status }) => status === 200);
    expect([removed.length, answers.filter(({ status }) => status === 404).length]).toEqual([1, 7]);
    expect(await fixture.audited()).toHaveLength(1);
  });
});
