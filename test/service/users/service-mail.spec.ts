import { SystemMail } from '#libs/emails';
import { Accounts } from '#libs/accounts';
import { Database } from '#libs/persistence';
import { SuppressionList, type NewSuppression } from '#libs/suppressions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { until } from '../../support/timing/until.js';

const TAKEN = { object: 'request', accepted: true };

describe('messages of the service', () => {
  let gateway: GatewayApp;
  let dashboard: DashboardFixture;
  let first: string;
  let serviceDomain: string;

  beforeAll(async () => {
    gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1', SIGNUP: 'on' });
    dashboard = new DashboardFixture(gateway);
    first = (await gateway.app.get(Accounts).first())?.id ?? '';
    // The first message adds the domain.
    const { email } = await dashboard.person(await dashboard.account());
    await dashboard.browser().post('/app/api/password-reset', { email });
    await dashboard.tokenSentTo(email);
    const { rows } = await gateway.app
      .get(Database)
      .query<{ id: string }>('SELECT domain_id AS id FROM emails WHERE sender LIKE $1 LIMIT 1', ['postmaster@%']);
    serviceDomain = rows[0].id;
  });
  afterAll(() => gateway.stop());

  async function suppress(address: string, entry: Partial<NewSuppression>): Promise<void> {
    const common = { accountId: first, address, reason: null, sourceId: null, origin: 'manual' } as const;
    const list = gateway.app.get(SuppressionList);
    await gateway.app.get(Database).transaction((tx) => list.add(tx, { ...common, ...entry }));
  }

  const inAMonth = () => new Date(Date.now() + 30 * 86_400_000);

  it.each<[string, () => Partial<NewSuppression>]>([
    ['an entry of a person', () => ({ origin: 'manual' })],
    ['a complaint about a message of the customer', () => ({ origin: 'complaint' })],
    ['a bounce of a message of the customer', () => ({ origin: 'bounce' })],
    ['an unsubscription from the customer', () => ({ origin: 'unsubscribe' })],
    ['an entry of a person for the service domain', () => ({ origin: 'manual', domainId: serviceDomain })],
    ['a complaint about a message of the service', () => ({ origin: 'complaint', domainId: serviceDomain })],
    ['a mailbox that was full', () => ({ origin: 'bounce', domainId: serviceDomain, expiresAt: inAMonth() })],
  ])('with links are sent in spite of %s', async (_name, entry) => {
    const { email } = await dashboard.person(await dashboard.account());
    await suppress(email, entry());
    await dashboard.browser().post('/app/api/password-reset', { email });
    expect(await dashboard.tokenSentTo(email)).not.toBe('');
  });

  it('are not sent to a mailbox that does not exist, as an earlier one has found out', async () => {
    const { email } = await dashboard.person(await dashboard.account());
    await suppress(email, { origin: 'bounce', domainId: serviceDomain });
    const answer = await dashboard.browser().post('/app/api/password-reset', { email });
    expect([answer.status, answer.body], 'as for every address').toEqual([202, TAKEN]);
    const refused = () => gateway.log.filter(({ msg }) => String(msg).includes('cannot be sent'));
    await until(() => Promise.resolve(refused().length > 0));
    const lines = refused();
    expect(lines.map(({ level, err, stack }) => [level, err, stack])).toEqual([[40, undefined, undefined]]);
    expect(await dashboard.sentTo(email)).toEqual([]);
  });

  it('that invite somebody and cannot be sent refuse the invitation, with the reason', async () => {
    const { browser: owner } = await dashboard.member(await dashboard.account(), 'owner');
    await suppress('gone@example.org', { origin: 'bounce', domainId: serviceDomain });
    const invite = () => owner.post('/app/api/invitations', { email: 'gone@example.org', role: 'viewer' });
    expect((await invite()).body).toMatchObject({ statusCode: 422, details: [{ field: 'email', code: 'suppressed' }] });
    expect((await owner.get('/app/api/invitations')).body.data).toEqual([]);
  });

  it('that invite the owner of a new account and cannot be sent leave account and key, with the reason', async () => {
    const { browser } = await dashboard.member(first, 'owner');
    await suppress('gone-owner@example.org', { origin: 'bounce', domainId: serviceDomain });
    const create = async (ownerEmail: string) => {
      const mutation = `mutation { createAccount(input: { name: "New", ownerEmail: "${ownerEmail}" }) { apiKey invitationProblem account { id } } }`;
      return (await browser.graphql(mutation)).body.data.createAccount;
    };
    expect(await create('gone-owner@example.org')).toEqual({
      apiKey: expect.stringMatching(/^pl_/) as string,
      invitationProblem: expect.stringMatching(/^No message can be sent to this address/) as string,
      account: { id: expect.stringMatching(/^acc_/) as string },
    });
    expect(await create('owner@example.org')).toMatchObject({ invitationProblem: null });
  });

  it('with notices leave out addresses that complained about an earlier one, and no others', async () => {
    await suppress('complained@example.org', { origin: 'complaint', domainId: serviceDomain });
    await suppress('manual@example.org', { origin: 'manual' });
    const notice = { kind: 'sending_resumed', subject: 'Resumed', text: 'Resumed', html: '<p>Resumed</p>' } as const;
    const to = ['complained@example.org', 'manual@example.org'];
    const { id } = await gateway.app.get(SystemMail).sendNotice({ ...notice, to, key: 'notice of a test' });
    const { rows } = await gateway.app
      .get(Database)
      .query('SELECT address, status FROM recipients WHERE email_id = $1 ORDER BY ordinal', [id]);
    expect(rows).toEqual([
      { address: 'complained@example.org', status: 'suppressed' },
      { address: 'manual@example.org', status: 'queued' },
    ]);
  });
});
