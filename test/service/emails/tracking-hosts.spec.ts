import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Config, SecretBox } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { TrackingLinks } from '#libs/tracking';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { mail } from '../../support/samples/mail.js';

type Account = Awaited<ReturnType<GatewayApp['account']>>;

const PUBLIC = 'post.example.com';
const TARGET = 'https://elsewhere.example/offer?a=1';

/** A click link must not become a redirect in the name of the service or of another customer. */
describe('the host of a click link', () => {
  let gateway: GatewayApp;
  let customer: Account;
  let vouched: Account;
  beforeAll(async () => {
    gateway = await startGatewayApp({ PUBLIC_URL: `https://${PUBLIC}` });
    customer = await gateway.account();
    vouched = await gateway.account();
    const setVouched = 'UPDATE domains SET vouched = (id = $1) WHERE id IN ($1, $2)';
    await gateway.app.get(Database).query(setVouched, [vouched.domainId, customer.domainId]);
  });
  afterAll(() => gateway.stop());

  const messageOf = async (account: Account) => {
    const sent = await gateway
      .agent(account.key)
      .post('/emails')
      .send(mail({ from: `a@${account.domain}` }));
    expect(sent.status).toBe(201);
    return (sent.body as { id: string }).id;
  };
  const visit = async (path: string, host: string) => {
    const { status, headers } = await gateway.agent().get(path).set('host', host).redirects(0);
    return [status, headers['location']];
  };
  const visits = async (path: string, hosts: string[]) => Promise.all(hosts.map((host) => visit(path, host)));
  const [found, unknown] = [(target: string) => [302, target], [404, undefined]];

  it('is the one that the link was written with, and no other', async () => {
    const links = gateway.app.get(TrackingLinks, { strict: false });
    const link = { emailId: await messageOf(customer), ordinal: 0, index: 0, target: TARGET };
    const path = new URL(links.clickUrl(`https://track.${customer.domain}`, link) ?? '').pathname;
    const own = [`track.${customer.domain}`, `TRACK.${customer.domain}:8443`, `track.${customer.domain}.`];
    expect(await visits(path, own)).toEqual(own.map(() => found(TARGET)));
    const others = [
      PUBLIC,
      `track.${vouched.domain}`,
      customer.domain,
      '127.0.0.1',
      'localhost',
      `x.track.${customer.domain}`,
    ];
    expect(await visits(path, others)).toEqual(others.map(() => unknown));
  });

  /** As the versions signed links that did not bind them to a host. */
  const earlierPath = (emailId: string, target: string) => {
    const head = Buffer.concat([Buffer.from(emailId.slice('em_'.length), 'hex'), Buffer.alloc(3)]);
    const key = SecretBox.deriveKey(gateway.app.get(Config).settings.MASTER_KEY as Buffer, 'tracking click');
    const mac = createHmac('sha256', key).update(head).update(target).digest().subarray(0, 16);
    return `/t/c/${Buffer.concat([head, mac, Buffer.from(target)]).toString('base64url')}`;
  };

  it('of a link of an earlier version is the tracking host of its domain', async () => {
    const path = earlierPath(await messageOf(customer), TARGET);
    expect(await visit(path, `track.${customer.domain}`)).toEqual(found(TARGET));
    const others = [PUBLIC, `track.${vouched.domain}`, customer.domain, '127.0.0.1'];
    expect(await visits(path, others)).toEqual(others.map(() => unknown));
  });

  it('of a link of an earlier version may be the public one if the operator vouches for the domain', async () => {
    const path = earlierPath(await messageOf(vouched), TARGET);
    expect(await visits(path, [PUBLIC, `track.${vouched.domain}`])).toEqual([found(TARGET), found(TARGET)]);
    expect(await visit(path, `track.${customer.domain}`)).toEqual(unknown);
  });

  it('of a link of an earlier version whose message was deleted is in the organisation of the target', async () => {
    const id = 'em_018f4c2e7b3a7cc19f0e123456789abc';
    const within = 'https://www.shop.example/offer';
    expect(await visit(earlierPath(id, within), 'track.shop.example')).toEqual(found(within));
    const off = [TARGET, 'https://shop.example@elsewhere.example/', 'https://elsewhere.example\\@shop.example/'];
    for (const target of off) expect(await visit(earlierPath(id, target), 'track.shop.example')).toEqual(unknown);
    expect(await visit(earlierPath(id, within), PUBLIC)).toEqual(unknown);
  });
});
