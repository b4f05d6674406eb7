import { describe, expect } from 'vitest';
import { good, refused, resendClient, timestamp, uuid } from '../../support/resend/resend-client.js';
import { resendTest } from '../../support/resend/resend-tests.js';

const NOBODYS = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';

const it = resendTest.extend(
  'native',
  ({ gateway, own }) =>
    async (path: string) =>
      (await gateway.agent(own.key).get(path)).body as Record<string, unknown>,
);

describe('resend.domains', () => {
  it('creates a domain with all that its options have', async ({ resend }) => {
    const { data, error, headers } = await resend.domains.create({
      name: 'News.Example.com',
      region: 'us-east-1',
      customReturnPath: 'outbound',
      capabilities: { sending: 'enabled', receiving: 'enabled' },
      openTracking: true,
      clickTracking: false,
      tls: 'enforced',
      trackingSubdomain: 'links',
    });
    expect(error).toBeNull();
    const { records, ...domain } = data ?? expect.fail();
    expect(domain).toEqual({
      object: 'domain',
      id: uuid(),
      name: 'news.example.com',
      status: 'pending',
      created_at: timestamp(),
      region: 'eu-west-1',
      open_tracking: true,
      click_tracking: false,
      tls: 'enforced',
      capabilities: { sending: 'enabled', receiving: 'disabled' },
      dmarc: {
        type: 'TXT',
        name: '_dmarc.news.example.com',
        value: expect.stringMatching(/^v=DMARC1;/) as string,
        ttl: 'Auto',
        status: 'pending',
      },
    });
    expect(records.map(({ record, type, name }) => [record, type, name.replace(/^\w+\._dom/, '*._dom')])).toEqual([
      ['SPF', 'TXT', 'news.example.com'],
      ['DKIM', 'TXT', '*._domainkey.news.example.com'],
      ['DKIM', 'TXT', expect.stringMatching(/_domainkey\.news\.example\.com$/)],
      ['SPF', 'CNAME', 'bounces.news.example.com'],
      ['Tracking', 'CNAME', 'track.news.example.com'],
    ]);
    for (const record of records)
      expect(record).toMatchObject({ ttl: 'Auto', status: 'pending', value: expect.stringMatching(/./) as string });
    expect(headers?.['x-ignored-fields']).toBe('region, custom_return_path, capabilities, tracking_subdomain');
    expect(await good(resend.domains.get(domain.id))).toEqual(data);
  });

  it('creates a domain from its name alone', async ({ resend }) => {
    const domain = await good(resend.domains.create({ name: 'plain.example.com' }));
    expect(domain).toMatchObject({ open_tracking: false, click_tracking: false, tls: 'opportunistic' });
    expect(await refused(resend.domains.create({ name: 'plain.example.com' }))).toEqual([422, 'validation_error']);
    expect(await refused(resend.domains.create({ name: 'co.uk' }))).toEqual([400, 'validation_error']);
    expect(await refused(resend.domains.create({} as { name: string }))).toEqual([422, 'missing_required_field']);
  });

  it('lists domains in pages, an active one as verified', async ({ own, resend }) => {
    const ids: string[] = [own.domainId];
    for (const name of ['a', 'b', 'c'])
      ids.unshift((await good(resend.domains.create({ name: `${name}.example.com` }))).id);
    const all = await good(resend.domains.list());
    expect(all).toMatchObject({ object: 'list', has_more: false });
    expect(Object.keys(all)).toEqual(['object', 'has_more', 'data']);
    expect(all.data.map(({ name, status }) => [name, status])).toEqual([
      ['c.example.com', 'pending'],
      ['b.example.com', 'pending'],
      ['a.example.com', 'pending'],
      [own.domain, 'verified'],
    ]);
    expect(all.data[3]).toMatchObject({
      id: uuid(),
      created_at: timestamp(),
      region: 'eu-west-1',
      capabilities: { sending: 'enabled', receiving: 'disabled' },
    });
    const first = await good(resend.domains.list({ limit: 2 }));
    expect([first.has_more, first.data]).toEqual([true, all.data.slice(0, 2)]);
    const second = await good(resend.domains.list({ limit: 2, after: first.data[1].id }));
    expect([second.has_more, second.data]).toEqual([false, all.data.slice(2)]);
    const back = await good(resend.domains.list({ before: second.data[0].id }));
    expect(back.data).toEqual(all.data.slice(0, 2));
    expect((await good(resend.domains.list({ after: `dom_${ids[1].replaceAll('-', '')}` }))).data).toEqual(
      all.data.slice(2),
    );
    expect(await refused(resend.domains.list({ after: 'nothing' }))).toEqual([400, 'validation_error']);
    expect(await refused(resend.domains.list({ limit: 101 }))).toEqual([422, 'invalid_parameter']);
  });

  it('updates, verifies and removes', async ({ gateway, own, resend, native }) => {
    const { id } = await good(resend.domains.create({ name: 'way.example.com' }));
    const change = { id, openTracking: true, tls: 'enforced', capabilities: { receiving: 'disabled' } } as const;
    expect(await good(resend.domains.update(change))).toEqual({ object: 'domain', id });
    const ours = `dom_${id.replaceAll('-', '')}`;
    expect(await native(`/domains/${ours}`)).toMatchObject({
      open_tracking: true,
      click_tracking: false,
      tls: 'enforced',
    });
    const settings = (envelope: unknown) => gateway.agent(own.key).patch(`/resend/domains/${id}`).send({ envelope });
    expect((await settings('per_recipient')).status).toBe(200);
    expect(await native(`/domains/${ours}`)).toMatchObject({ envelope: 'per_recipient', tls: 'enforced' });
    expect((await settings('each')).body).toMatchObject({ message: expect.stringContaining('envelope') as unknown });
    expect(await good(resend.domains.verify(id))).toEqual({ object: 'domain', id });
    expect(await refused(resend.domains.verify(id))).toEqual([429, 'rate_limit_exceeded']);
    expect(await good(resend.domains.remove(id))).toEqual({ object: 'domain', id, deleted: true });
    expect(await refused(resend.domains.remove(id))).toEqual([404, 'not_found']);
    expect(await native(`/domains/${ours}`)).toMatchObject({ statusCode: 404 });
  });

  it('takes ids of both forms, and knows none of others', async ({ gateway, own, resend }) => {
    expect(await good(resend.domains.get(own.domainId))).toMatchObject({ id: uuid(), status: 'verified' });
    const other = await gateway.account();
    const theirs = (await good(resendClient(gateway.url, other.key).domains.list())).data[0].id;
    for (const id of [theirs, NOBODYS, 'nothing', 'x-y']) {
      expect(await refused(resend.domains.get(id))).toEqual([404, 'not_found']);
      expect(await refused(resend.domains.verify(id))).toEqual([404, 'not_found']);
      expect(await refused(resend.domains.update({ id, tls: 'enforced' }))).toEqual([404, 'not_found']);
      expect(await refused(resend.domains.remove(id))).toEqual([404, 'not_found']);
    }
  });
});
