import { Accounts, ApiKeys } from '#libs/accounts';
import { newId } from '#libs/contracts';
import { CapturedMessages, SystemMail } from '#libs/emails';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROLLER_ROUTES } from '../../support/rest/controller-routes.js';
import { DashboardFixture } from '../../support/browser/dashboard-fixture.js';
import { DeliveryFixture } from '../../support/delivery/delivery-fixture.js';
import { startGatewayApp, type GatewayApp, type Verb } from '../../support/fixtures/gateway-app.js';
import type { Browser } from '../../support/browser/browser.js';

const SECRET = 'token-of-a-login-link';
const RECIPIENT = 'owner@example.com';
/** Every operation on one message, whether it reads, copies or changes it. */
const ROUTES = CONTROLLER_ROUTES.filter(({ path }) =>
  /^\/(?:resend\/)?(?:emails|captured)\/\{|^\/app\/message\//.test(path),
).map(({ method, path }) => ({ verb: method.toLowerCase() as Verb, path }));
/** A person sees the state of a message without its content, and cannot change the delivery of one that has failed. */
const FOR_A_PERSON: Record<string, number> = {
  'get /emails/{id}': 200,
  'get /emails/{id}/events': 200,
  'get /emails/{id}/attempts': 200,
  'get /emails/{id}/explain': 200,
  'patch /emails/{id}': 409,
  'post /emails/{id}/cancel': 409,
  'get /resend/emails/{id}': 200,
  'patch /resend/emails/{id}': 422,
  'post /resend/emails/{id}/cancel': 422,
};

describe('a message with a login link', () => {
  let gateway: GatewayApp;
  let key: string;
  let browser: Browser;
  let emailId: string;
  let capturedId: string;

  beforeAll(async () => {
    gateway = await startGatewayApp({ TRUST_PROXY: '127.0.0.1' });
    const delivery = await DeliveryFixture.open(gateway);
    const first = await gateway.app.get(Accounts).first();
    if (first === null) throw new Error('there is no account');
    key = (await gateway.app.get(ApiKeys).create(first.id, { name: 'all', permission: 'full_access' })).token;
    ({ browser } = await new DashboardFixture(gateway).member(first.id, 'owner'));
    const message = Buffer.from(
      `From: postmaster@postloft.test\r\nTo: ${RECIPIENT}\r\nSubject: Reset\r\n\r\nhttp://localhost/app/reset?token=${SECRET}\r\n`,
    );
    const messageId = `<${newId('em')}@postloft.test>`;
    const mail = { kind: 'login' as const, to: RECIPIENT, subject: 'Reset', messageId, message, key: newId('em') };
    ({ id: emailId } = await gateway.app.get(SystemMail).send(mail));
    await delivery.deliver(() => 'bounced');
    const captured = gateway.app.get(CapturedMessages);
    await captured.store({ emailId, mailFrom: 'postmaster@postloft.test', rcptTo: [RECIPIENT], content: message });
    const { rows } = await delivery.database.query<{ id: string }>(
      'SELECT id FROM captured_messages WHERE email_id = $1',
      [emailId],
    );
    capturedId = rows[0].id;
  }, 60_000);
  afterAll(() => gateway?.stop());

  const filled = (path: string) =>
    path
      .replace(/^(\/captured\/)\{id\}/, `$1${capturedId}`)
      .replace(/\{(?:id|emailId)\}/, path.startsWith('/resend/') ? emailId.slice(3) : emailId)
      .replace(/\{\w+\}$/, newId('att'))
      .replace('{attachmentId}', newId('att'));

  it.each(ROUTES)('does not exist for a key with all permissions: $verb $path', async ({ verb, path }) => {
    const body = verb === 'get' ? undefined : { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const answer = await gateway.agent(key)[verb](filled(path)).send(body);
    expect(answer.text).not.toContain(SECRET);
    expect(answer.status, answer.text).toBe(404);
  });

  it.each(ROUTES)('is not read or copied by a person: $verb $path', async ({ verb, path }) => {
    const name = `${verb} ${path}`;
    const body = verb === 'get' ? undefined : { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const answer = await browser.send(verb.toUpperCase(), filled(path), { body });
    expect(answer.text).not.toContain(SECRET);
    expect(answer.status, answer.text).toBe(FOR_A_PERSON[name] ?? 404);
  });

  it('is in no list that a key reads', async () => {
    const agent = gateway.agent(key);
    for (const path of ['/emails', `/emails?to=${RECIPIENT}`, '/emails?subject=Reset', '/resend/emails', '/captured']) {
      const answer = await agent.get(path);
      expect(answer.status, path).toBe(200);
      expect((answer.body as { data: unknown[] }).data, path).toEqual([]);
    }
  });

  it('has no event that a key reads', async () => {
    const { body } = await browser.get(`/emails/${emailId}/events`);
    const events = (body as { data: { id: string }[] }).data;
    expect(events.length).toBeGreaterThan(1);
    const agent = gateway.agent(key);
    expect((await agent.get(`/events/${events[0].id}`)).status).toBe(404);
    expect((await browser.get(`/events/${events[0].id}`)).status).toBe(200);
    const ids = events.map(({ id }) => id);
    const idsIn = ({ text }: { text: string }) => ids.filter((id) => text.includes(id));
    for (const path of [
      '/events',
      '/events?before=latest',
      `/events?recipient=${RECIPIENT}`,
      `/events?email_id=${emailId}`,
    ])
      expect(idsIn(await agent.get(path)), path).toEqual([]);
    expect(idsIn(await browser.get('/events'))).toEqual(ids);
  });

  it('is in the lists of a person, so that a failure is seen', async () => {
    const { body } = await browser.get('/emails');
    expect((body as { data: { id: string }[] }).data.map(({ id }) => id)).toContain(emailId);
    const captured = await browser.get('/captured');
    expect((captured.body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([capturedId]);
  });

  it('has no content and no copy over GraphQL', async () => {
    const ask = async (query: string) => {
      const answer = await gateway.agent(key).post('/graphql').send({ query });
      expect(answer.text).not.toContain(SECRET);
      return answer.body as { data: Record<string, unknown> | null; errors?: { extensions: { code: string } }[] };
    };
    const fields = 'id text html headers { name value } attachments { id } events { nodes { id } }';
    expect((await ask(`{ email(id: "${emailId}") { id text html } }`)).data).toEqual({ email: null });
    expect((await ask(`{ emails { nodes { ${fields.split(' headers')[0]} } } }`)).data).toEqual({
      emails: { nodes: [] },
    });
    expect((await ask('{ capturedEmails { nodes { id email { id text } } } }')).data).toEqual({
      capturedEmails: { nodes: [] },
    });
    const retried = await ask(`mutation { retryEmail(id: "${emailId}") { id } }`);
    expect(retried.errors?.[0].extensions.code).toBe('not_found');
  });

  it('stays when a key clears the inbox', async () => {
    expect((await gateway.agent(key).delete('/captured')).body).toMatchObject({ count: 0 });
    expect(((await browser.get('/captured')).body as { data: unknown[] }).data).toHaveLength(1);
  });
});
