import { Accounts } from '#libs/accounts';
import { newId } from '#libs/contracts';
import { Database } from '#libs/persistence';
import { SuppressionList } from '#libs/suppressions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

interface Person {
  id: string;
  email: string;
  mail_problem: unknown;
}

const REPLY = '550 5.1.1 No such user';
const PROBLEM = { reason: REPLY, since: expect.stringMatching(/^20\d\d-/) as string };

describe('messages of the service that do not reach a person', () => {
  let gateway: GatewayApp;
  let dashboard: DashboardFixture;
  let database: Database;
  let first: string;
  let serviceDomain: string;

  beforeAll(async () => {
    gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1' });
    dashboard = new DashboardFixture(gateway);
    database = gateway.app.get(Database);
    first = (await gateway.app.get(Accounts).first())?.id ?? '';
    // The first message adds the domain.
    const { email } = await dashboard.person(await dashboard.account());
    await dashboard.browser().post('/app/api/password-reset', { email });
    await dashboard.tokenSentTo(email);
    const { rows } = await database.query<{ id: string }>(
      'SELECT domain_id AS id FROM emails WHERE sender LIKE $1 LIMIT 1',
      ['postmaster@%'],
    );
    serviceDomain = rows[0].id;
  });
  afterAll(() => gateway?.stop());

  /** As after a hard bounce of a message of the service. */
  const suppress = (address: string) =>
    database.transaction((tx) =>
      gateway.app.get(SuppressionList).add(tx, {
        ...{ accountId: first, domainId: serviceDomain, address, origin: 'bounce', reason: REPLY },
        sourceId: newId('em'),
      }),
    );
  const bounceLast = (address: string) =>
    database.query(
      `UPDATE recipients SET status = 'bounced', smtp_text = $2, due_at = NULL
        WHERE (email_id, ordinal) = (SELECT email_id, ordinal FROM recipients WHERE address = $1 ORDER BY email_id DESC LIMIT 1)`,
      [address, REPLY],
    );

  it('are a problem of a member until somebody with the right to change members allows them again', async () => {
    const account = await dashboard.account();
    const { browser: owner } = await dashboard.member(account, 'owner');
    const { browser: viewer } = await dashboard.member(account, 'viewer');
    const { id, email } = await dashboard.person(account, 'developer');
    const listed = async () =>
      ((await owner.get('/app/api/members')).body.data as Person[]).find((one) => one.id === id)?.mail_problem;
    expect(await listed()).toBeNull();
    await suppress(email);
    expect(await listed()).toEqual({ ...PROBLEM, stopped: true });
    expect((await viewer.post(`/app/api/members/${id}/allow-mail`)).status).toBe(403);
    expect((await owner.post(`/app/api/members/${newId('usr')}/allow-mail`)).status).toBe(404);
    expect((await owner.post(`/app/api/members/${id}/allow-mail`)).status).toBe(204);
    expect(await listed()).toBeNull();
    expect(await dashboard.auditActions(first)).toContain('suppression.removed');
    await dashboard.browser().post('/app/api/password-reset', { email });
    expect(await dashboard.tokenSentTo(email)).not.toBe('');
  });

  it('are not allowed again for a person of another account', async () => {
    const { browser: stranger } = await dashboard.member(await dashboard.account(), 'owner');
    const { id, email } = await dashboard.person(await dashboard.account());
    await suppress(email);
    expect((await stranger.post(`/app/api/members/${id}/allow-mail`)).status).toBe(404);
  });

  it('are a problem of an invitation, which is sent again with a new link', async () => {
    const { browser: owner } = await dashboard.member(await dashboard.account(), 'owner');
    const email = `${newId('evt')}@example.org`;
    await owner.post('/app/api/invitations', { email, role: 'viewer' });
    const link = await dashboard.tokenSentTo(email);
    const listed = async () => ((await owner.get('/app/api/invitations')).body.data as Person[])[0];
    expect((await listed()).mail_problem).toBeNull();
    await bounceLast(email);
    expect((await listed()).mail_problem).toEqual({ ...PROBLEM, stopped: false });
    await suppress(email);
    const { id, mail_problem: problem } = await listed();
    expect(problem).toEqual({ ...PROBLEM, stopped: true });
    const answer = await owner.post(`/app/api/invitations/${id}/resend`);
    expect([answer.status, answer.body.role]).toEqual([201, 'viewer']);
    expect((await listed()).mail_problem).toBeNull();
    expect(await dashboard.tokenSentTo(email, 1)).not.toBe(link);
  });

  it('leave the operator a second try, once the address is allowed', async () => {
    const { browser: operator } = await dashboard.member(first, 'owner');
    const email = `${newId('evt')}@example.org`;
    await suppress(email);
    const create = `mutation { createAccount(input: { name: "New", ownerEmail: "${email}" }) { invitationProblem account { id } } }`;
    const { invitationProblem, account } = (await operator.graphql(create)).body.data.createAccount;
    expect(invitationProblem).toMatch(/^No message can be sent to this address/);
    const invite = () => operator.graphql(`mutation { inviteOwner(id: "${account.id}", email: "${email}") { id } }`);
    expect((await invite()).body.errors[0].extensions).toMatchObject({ details: [{ field: 'email' }] });
    await operator.delete(`/suppressions/${encodeURIComponent(email)}?domain_id=${serviceDomain}`);
    expect((await invite()).body.data.inviteOwner).toEqual({ id: account.id });
    expect(await dashboard.tokenSentTo(email)).not.toBe('');
  });
});
