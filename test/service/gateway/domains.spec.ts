import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect } from 'vitest';
import type { Test } from 'supertest';
import { ApiKeys } from '#libs/accounts';
import { newId } from '#libs/contracts';
import type { DomainView } from '#libs/domains';
import { Database } from '#libs/persistence';
import { LOG_EVENTS, OUTBOX_EVENTS } from '../../support/persistence/test-database.js';
import { passTime } from '../../support/timing/clock.js';
import { gatewayTest as it } from '../../support/fixtures/gateway-tests.js';

interface Refused {
  error: string;
  name: string;
  message: string;
  details: { field: string; code: string; message: string }[];
}

interface Answer<T> {
  status: number;
  headers: Record<string, string>;
  body: T;
}
let name: string;
async function answer<T>(test: Test): Promise<Answer<T>> {
  const { status, headers, body } = await test;
  return { status, headers, body: body as T };
}
const domain = (test: Test) => answer<DomainView>(test);
const domainList = (test: Test) => answer<DomainView[]>(test);
const refusal = (test: Test) => answer<Refused>(test);
beforeEach(() => {
  name = `mail-${randomBytes(4).toString('hex')}.example.org`;
});

describe('POST /domains', () => {
  it('answers 201 with the domain and the records to publish', async ({ gateway, own }) => {
    const { status, body } = await domain(
      gateway
        .agent(own.key)
        .post('/domains')
        .send({ name: ` ${name.toUpperCase()}. ` }),
    );
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual([
      'id',
      'object',
      'name',
      'status',
      'created_at',
      'region',
      'open_tracking',
      'click_tracking',
      'tracking_privacy',
      'tracking_exclude',
      'tls',
      'envelope',
      'body_retention_days',
      'captured_retention_days',
      'verified_at',
      'warning_since',
      'last_checked_at',
      'dkim',
      'records',
    ]);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^dom_[0-9a-f]{32}$/),
      object: 'domain',
      name,
      status: 'pending',
      region: 'eu',
      open_tracking: false,
      click_tracking: false,
      tls: 'opportunistic',
      last_checked_at: null,
    });
    const [spf, dkim, dmarc] = body.records;
    expect(spf).toEqual({
      record: 'SPF',
      type: 'TXT',
      name,
      value: 'v=spf1 include:spf.postloft.test ~all',
      cname: null,
      ttl: 'Auto',
      status: 'pending',
      required: true,
      last_checked_at: null,
      observed: [],
      error: null,
    });
    expect(dkim.name).toMatch(new RegExp(`^pl[a-z2-7]{8}\\._domainkey\\.${name}$`));
    // RSA-2048 in SPKI, as base64.
    expect(dkim.value).toMatch(/^v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA[A-Za-z0-9+/]+=*$/);
    expect(dmarc).toMatchObject({ name: `_dmarc.${name}`, value: 'v=DMARC1; p=none; rua=mailto:dmarc@postloft.test' });
    expect(body.records.filter((record) => !record.required).map((record) => record.record)).toEqual([
      'DKIM',
      'Return-Path',
      'Tracking',
      'TLS-RPT',
    ]);
  });

  it('stores other scripts as A-labels', async ({ gateway, own }) => {
    const { body } = await domain(
      gateway
        .agent(own.key)
        .post('/domains')
        .send({ name: `bücher.${name}` }),
    );
    expect(body.name).toBe(`xn--bcher-kva.${name}`);
  });

  it('refuses what nobody can have to himself', async ({ gateway, own }) => {
    const refused = async (body: unknown) => {
      const answer = await refusal(
        gateway
          .agent(own.key)
          .post('/domains')
          .type('json')
          .send(body as object),
      );
      expect(answer.status, JSON.stringify(body)).toBe(400);
      return answer.body;
    };
    expect(await refused({})).toMatchObject({ name: 'missing_required_field', details: [{ field: 'name' }] });
    for (const [value, code] of [
      [7, 'invalid_type'],
      [null, 'invalid_type'],
      ['', 'invalid_domain'],
      ['localhost', 'invalid_domain'],
      ['192.0.2.1', 'invalid_domain'],
      ['[2001:db8::1]', 'invalid_domain'],
      ['https://example.com', 'invalid_domain'],
      ['user@example.com', 'invalid_domain'],
      ['a..example.com', 'invalid_domain'],
      ['example.com\r\nBcc: x', 'invalid_domain'],
      ['co.uk', 'public_suffix'],
      ['GitHub.io', 'public_suffix'],
      ['kawasaki.jp', 'public_suffix'],
      ['sim.postloft.test', 'reserved_domain'],
      ['a.bounces.postloft.test', 'reserved_domain'],
    ] as const)
      expect(await refused({ name: value }), String(value)).toMatchObject({
        error: 'bad_request',
        name: 'validation_error',
        details: [{ field: 'name', code }],
      });
  });

  it('answers 409 for a name that the account has, with its id, and another account may have it too', async ({
    gateway,
    own,
  }) => {
    const { body } = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    const again = await refusal(
      gateway
        .agent(own.key)
        .post('/domains')
        .send({ name: `${name}.` }),
    );
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ error: 'conflict', details: [{ field: 'name', code: 'already_exists' }] });
    expect(again.body.message).toContain(body.id);
    const other = await gateway.account();
    const theirs = await domain(gateway.agent(other.key).post('/domains').send({ name }));
    expect(theirs.status).toBe(201);
    expect(theirs.body.records[1].name).not.toBe(body.records[1].name);
    expect(theirs.body.records[1].value).not.toBe(body.records[1].value);
    // Also one that is active elsewhere: DNS decides, and nobody learns who is a customer.
    expect((await domain(gateway.agent(other.key).post('/domains').send({ name: own.domain }))).status).toBe(201);
  });

  it('makes one entry of many requests at once', async ({ gateway, own }) => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => domain(gateway.agent(own.key).post('/domains').send({ name }))),
    );
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['201', ...Array<string>(7).fill('409')]);
  });

  it('answers 409 when the account has a thousand', async ({ gateway }) => {
    const full = await gateway.account();
    await gateway.app.get(Database).query(
      `INSERT INTO domains (id, account_id, name, selector)
       SELECT 'dom_' || lpad(n::text, 32, '0'), $1, 'n' || n || '.example.org', 'pl' || n
         FROM generate_series(1, 999) AS n`,
      [full.accountId],
    );
    const refused = await refusal(gateway.agent(full.key).post('/domains').send({ name }));
    expect([refused.status, refused.body.details[0].code]).toEqual([409, 'limit_reached']);

    const { body, headers } = await domainList(gateway.agent(full.key).get('/domains'));
    expect([body.length, headers.link]).toEqual([1_000, undefined]);
    await gateway.app.get(Database).query(
      `INSERT INTO domains (id, account_id, name, selector)
       VALUES ('dom_' || repeat('0', 32), $1, 'oldest.example.org', 'pl')`,
      [full.accountId],
    );
    const more = await domainList(gateway.agent(full.key).get('/domains'));
    const [, next] = /^<(.*)>; rel="next"$/.exec(more.headers.link ?? '') ?? [];
    const rest = await domainList(gateway.agent(full.key).get(next));
    expect(rest.body.map((domain) => domain.name)).toEqual(['oldest.example.org']);
    expect(rest.headers.link).toBeUndefined();
  });
});

describe('a domain', () => {
  it('is shown alone and in the list, newest first', async ({ gateway, own }) => {
    const { body } = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    expect(await domain(gateway.agent(own.key).get(`/domains/${body.id}`))).toMatchObject({ status: 200, body });
    const { body: all } = await domainList(gateway.agent(own.key).get('/v1/domains'));
    expect(all[0]).toEqual(body);
    expect(all.map((domain) => domain.id)).toEqual(
      all
        .map((domain) => domain.id)
        .sort()
        .reverse(),
    );
    expect((await domain(gateway.agent(own.key).get('/domains?after=nonsense'))).status).toBe(400);
  });

  it('takes settings, and tells of them once', async ({ gateway, own }) => {
    const { body } = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    const changed = await domain(
      gateway.agent(own.key).patch(`/domains/${body.id}`).send({ open_tracking: true, tls: 'enforced' }),
    );
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...body, open_tracking: true, tls: 'enforced' });
    for (const settings of [{ tls: 'enforced' }, {}])
      expect((await domain(gateway.agent(own.key).patch(`/domains/${body.id}`).send(settings))).body).toEqual(
        changed.body,
      );
    const bad = await refusal(
      gateway.agent(own.key).patch(`/domains/${body.id}`).send({
        open_tracking: 'yes',
        click_tracking: 1,
        tls: 'off',
      }),
    );
    expect(bad.status).toBe(400);
    expect(bad.body.details.map(({ field }) => field)).toEqual(['open_tracking', 'click_tracking', 'tls']);
    const { rows } = await gateway.app.get(Database).query<{ type: string; reason: string }>(
      `SELECT type, data ->> 'reason' AS reason FROM ${LOG_EVENTS} WHERE key = $1
         UNION ALL SELECT type, data ->> 'reason' FROM ${OUTBOX_EVENTS} WHERE key = $1`,
      [body.id],
    );
    expect(rows.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual([
      'domain.created created',
      'domain.updated settings',
    ]);
  });

  it('has one envelope for several recipients until it is set to one for each', async ({ gateway, own }) => {
    const { body } = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    expect(body.envelope).toBe('shared');
    const change = (envelope: unknown) => gateway.agent(own.key).patch(`/domains/${body.id}`).send({ envelope });
    expect((await domain(change('per_recipient'))).body).toEqual({ ...body, envelope: 'per_recipient' });
    expect((await domain(gateway.agent(own.key).get(`/domains/${body.id}`))).body.envelope).toBe('per_recipient');
    for (const value of ['per-recipient', '', true, ['shared']])
      expect((await refusal(change(value))).body).toMatchObject({
        statusCode: 400,
        details: [{ field: 'envelope', message: 'must be one of shared, per_recipient' }],
      });
    expect((await domain(change('shared'))).body).toEqual(body);
  });

  it('may be verified once in ten seconds', async ({ gateway, own }) => {
    const { body } = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    expect(await domain(gateway.agent(own.key).post(`/domains/${body.id}/verify`))).toMatchObject({
      status: 200,
      body: { id: body.id },
    });
    const again = await refusal(gateway.agent(own.key).post(`/domains/${body.id}/verify`));
    expect([again.status, again.body.error, again.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '10']);
    expect(await domain(gateway.agent(own.key).post(`/domains/${own.domainId}/verify`))).toMatchObject({
      status: 200,
      body: { status: 'active' },
    });
  });

  it('is removed once, with the keys that are bound to it, and its name is free again', async ({ gateway, own }) => {
    const { body } = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    const bound = await gateway.app.get(ApiKeys).create(own.accountId, { name: 'Bound', domain_ids: [body.id] });
    expect((await domain(gateway.agent(bound.token).get('/domains'))).status).toBe(200);
    expect(await domain(gateway.agent(own.key).delete(`/domains/${body.id}`))).toMatchObject({
      status: 200,
      body: { object: 'domain', id: body.id, deleted: true },
    });
    expect((await domain(gateway.agent(own.key).delete(`/domains/${body.id}`))).status).toBe(404);
    expect((await domain(gateway.agent(own.key).get(`/domains/${body.id}`))).status).toBe(404);
    passTime(1_000);
    expect((await domain(gateway.agent(bound.token).get('/domains'))).status).toBe(401);
    const anew = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    expect(anew.status).toBe(201);
    expect(anew.body.records[1].name).not.toBe(body.records[1].name);
  });

  it('has its keys rotated, once at a time, which can be taken back; all of it stands in the audit log', async ({
    gateway,
    own,
  }) => {
    const path = `/domains/${own.domainId}/dkim/rotate`;
    const { body: before } = await domain(gateway.agent(own.key).get(`/domains/${own.domainId}`));
    expect(before.dkim).toEqual({
      signing_since: expect.any(String),
      rotation: null,
      cnames: ['', '2', 'e', '2e'].map((at) => ({
        name: expect.stringMatching(new RegExp(`^pl[a-z2-7]{8}${at}\\._domainkey\\.${own.domain}$`)),
        value: expect.stringMatching(
          new RegExp(`^pl[a-z2-7]{8}${at}\\.${own.domainId.slice(4)}\\.dkim\\.postloft\\.test$`),
        ),
      })),
    });
    const begun = await domain(gateway.agent(own.key).post(path));
    expect(begun.status).toBe(202);
    expect(begun.body.dkim.rotation).toEqual({
      status: 'pending',
      started_at: expect.any(String),
      verified_at: null,
      switched_at: null,
      keep_old_until: null,
    });
    const next = begun.body.records.filter((record) => !before.records.some(({ name: at }) => at === record.name));
    expect(next).toHaveLength(2);
    for (const each of next)
      expect(each).toMatchObject({ record: 'DKIM', type: 'TXT', status: 'pending', required: false });
    const twice = await refusal(gateway.agent(own.key).post(path));
    expect([twice.status, twice.body.error, twice.body.details[0].code]).toEqual([409, 'conflict', 'rotation_pending']);
    expect((await domain(gateway.agent(own.key).get(`/domains/${own.domainId}`))).body.dkim).toEqual(begun.body.dkim);
    expect(await domain(gateway.agent(own.key).delete(path))).toMatchObject({
      status: 200,
      body: { records: before.records },
    });
    const over = await refusal(gateway.agent(own.key).delete(path));
    expect([over.status, over.body.details[0].code]).toEqual([409, 'not_rotating']);
    const pending = await domain(gateway.agent(own.key).post('/domains').send({ name }));
    const early = await refusal(gateway.agent(own.key).post(`/domains/${pending.body.id}/dkim/rotate`));
    expect([early.status, early.body.details[0].code]).toEqual([409, 'not_active']);

    const { rows } = await gateway.app
      .get(Database)
      .query(`SELECT action, target, actor LIKE 'key_%' AS by_key FROM audit_log WHERE account_id = $1 ORDER BY id`, [
        own.accountId,
      ]);
    expect(rows).toEqual(
      ['domain.dkim_rotated', 'domain.dkim_rotation_canceled'].map((action) => ({
        action,
        target: own.domainId,
        by_key: true,
      })),
    );
  });

  it('of another account, or of no account, is not there', async ({ gateway, own }) => {
    const other = await gateway.account();
    for (const id of [own.domainId, newId('dom'), 'dom_1', "'; --"])
      for (const [method, path, body] of [
        ['get', '', undefined],
        ['patch', '', { tls: 'enforced' }],
        ['post', '/verify', undefined],
        ['post', '/dkim/rotate', undefined],
        ['delete', '/dkim/rotate', undefined],
        ['delete', '', undefined],
      ] as const) {
        const url = `/domains/${encodeURIComponent(id)}${path}`;
        const { status } = await gateway.agent(other.key)[method](url).send(body);
        expect(status, `${method} ${id}${path}`).toBe(404);
      }
    expect((await domain(gateway.agent(own.key).get(`/domains/${own.domainId}`))).body).toMatchObject({
      tls: 'opportunistic',
    });
  });
});
