import { CapturedMessages } from '#libs/emails';
import { Database } from '#libs/persistence';
import { describe, expect } from 'vitest';
import { until } from '../../support/timing/until.js';
import { gatewayTest as it } from '../../support/fixtures/gateway-tests.js';

/** An address that needs its quotes, and spellings of it. */
const NEEDED = '"John doe"@example.com';
const SPELLINGS = [
  '"John doe"@example.com',
  '"john DOE"@Example.COM',
  '"john\\ doe"@example.com',
  '"\\john doe"@example.com',
];
/** An address that does not. */
const NEEDLESS = 'Ann.Lee@bücher.example';
const NEEDLESS_SPELLINGS = ['ann.lee@xn--bcher-kva.example', '"Ann.Lee"@bücher.example', '"ann\\.lee"@BÜCHER.example'];

describe('filters by address take every spelling of a quoted local part', () => {
  let key: string;
  const ids = new Map<string, string>();

  it.beforeAll(async ({ gateway }) => {
    const account = await gateway.account();
    key = account.key;
    const agent = gateway.agent(key);
    for (const to of [NEEDED, NEEDLESS]) {
      const sent = await agent.post('/emails').send({ from: `a@${account.domain}`, to, subject: 'x', text: 'x' });
      expect(sent.status).toBe(201);
      const { id } = sent.body as { id: string };
      ids.set(to, id);
      // As the capture inbox gets it.
      const { rows } = await gateway.app
        .get(Database)
        .query<{ address: string }>('SELECT address FROM recipients WHERE email_id = $1', [id]);
      const [{ address: stored }] = rows;
      const content = Buffer.from('x');
      await gateway.app.get(CapturedMessages).store({ emailId: id, mailFrom: '', rcptTo: [stored], content });
    }
    await until(async () => (await gateway.app.get(Database).query('SELECT 1 FROM outbox')).rows.length === 0);
  });

  const cases = [
    ...SPELLINGS.map((spelling) => [NEEDED, spelling]),
    ...NEEDLESS_SPELLINGS.map((spelling) => [NEEDLESS, spelling]),
  ];

  it.for(cases)('%s as %s', async ([to, spelling], { gateway }) => {
    const agent = gateway.agent(key);
    const id = ids.get(to);
    const address = encodeURIComponent(spelling);
    const data = async (path: string) => {
      const { status, body } = await agent.get(path);
      return { status, data: (body as { data?: Record<string, never>[] }).data ?? body };
    };
    expect(await data(`/emails?to=${address}`)).toMatchObject({ status: 200, data: [{ id }] });
    expect(await data(`/captured?to=${address}`)).toMatchObject({ status: 200, data: [{ email_id: id }] });
    const events = await data(`/events?recipient=${address}`);
    expect(events).toMatchObject({ status: 200, data: [{ data: { email_id: id } }] });
    const { body } = await agent.post('/graphql').send({
      query: `query ($to: String!) {
        emails(first: 5, filter: {to: $to}) { nodes { id } }
        capturedEmails(first: 5, filter: {to: $to}) { nodes { emailId } }
        events(first: 5, recipient: $to) { nodes { type } } }`,
      variables: { to: spelling },
    });
    expect(body).toMatchObject({
      data: { emails: { nodes: [{ id }] }, capturedEmails: { nodes: [{ emailId: id }] }, events: { nodes: [{}] } },
    });
  });

  it.for(cases)('of suppressions: %s as %s', async ([to, spelling], { gateway }) => {
    const agent = gateway.agent(key);
    expect((await agent.post('/suppressions').send({ email: to })).status).toBeLessThan(202);
    const address = encodeURIComponent(spelling);
    expect((await agent.get(`/suppressions?q=${address}`)).body).toMatchObject({ data: [{ object: 'suppression' }] });
    expect((await agent.get(`/suppressions/${address}`)).status).toBe(200);
    expect((await agent.delete(`/suppressions/${address}`)).status).toBe(200);
  });

  it.for(['/emails?to=', '/captured?to=', '/events?recipient=', '/emails?from='])(
    'and %s refuses a space outside of quotes, which may have been a +',
    async (path, { gateway }) => {
      for (const written of ['a+label@example.com', '"a"+b@example.com', '"a b"@exam+ple.com', '"a'])
        expect([written, (await gateway.agent(key).get(`${path}${written}`)).status]).toEqual([
          written,
          written === '"a' ? 200 : 400,
        ]);
    },
  );
});
