import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import type { ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';

const DOMAIN = 'suppress-after-bounce.test';
const GONE = `Gone@${DOMAIN}`;
const ENTRY = `/suppressions/gone%40${DOMAIN}`;

/** Rejections that do not mean that the address does not exist. */
const NOT_DEAD: Readonly<Record<string, string>> = {
  [`spam@${DOMAIN}`]: '550 5.7.1 Message looks like spam',
  [`full@${DOMAIN}`]: '552 5.2.2 Mailbox full',
  [`callout@${DOMAIN}`]:
    '550-5.1.1 Callback setup failed\r\n550-5.1.1 No such user\r\n550 5.1.1 Sender callback failed',
  [`compte@${DOMAIN}`]: '550 Votre compte est suspendu',
  [`notice@${DOMAIN}`]: `${'550-5.1.1 A notice that says nothing.\r\n'.repeat(200)}550 5.1.1 Blocked as spam.`,
};

/** An address that bounced hard is suppressed until its entry is removed. */
describe('after a hard bounce', () => {
  let network: MailNetwork<ServiceAccount>;
  let program: ServiceAccount;
  let mx: ScriptedMx;
  let known = false;

  beforeAll(async () => {
    network = await MailNetwork.open('delivery', [DOMAIN]);
    program = network.sender;
    mx = await network.mailServer(DOMAIN, {
      on: {
        rcpt: ({ line }) => {
          if (/<gone@/i.test(line) && !known) return '550 5.1.1 No such user here';
          return Object.entries(NOT_DEAD).find(([address]) => line.includes(`<${address}>`))?.[1];
        },
      },
    });
  });
  afterAll(() => network?.close());

  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await program.call(method, path, body);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> & { id: string } };
  };
  const send = (to: string) => ask('POST', '/emails', program.mail({ to }));
  const becomes = (id: string, status: string) =>
    until(async () => (await ask('GET', `/emails/${id}`)).body['status'] === status, { what: `${status} of ${id}` });

  it('the address is suppressed with the evidence, mail to it is refused, and accepted once the entry is removed', async () => {
    const { body: bounced } = await send(GONE);
    await becomes(bounced.id, 'bounced');

    const entry = await ask('GET', ENTRY);
    expect(entry).toMatchObject({
      status: 200,
      body: {
        object: 'suppression',
        email: `gone@${DOMAIN}`,
        origin: 'bounce',
        reason: expect.stringContaining('No such user here') as string,
        source_id: bounced.id,
        scope: 'account',
        expires_at: null,
        evidence: {
          email_id: bounced.id,
          recipient: expect.stringMatching(/^gone@suppress-after-bounce\.test$/i) as string,
          smtp_code: 550,
          enhanced_code: '5.1.1',
          text: expect.stringContaining('No such user here') as string,
          mx: `mx.${DOMAIN}`,
          feedback_type: null,
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        },
      },
    });

    const refused = await send(GONE.toUpperCase());
    expect(refused).toMatchObject({ status: 422, body: { error: 'unprocessable_entity' } });
    expect(JSON.stringify(refused.body['details'])).toMatch(/gone@suppress-after-bounce\.test/i);

    known = true;
    expect((await ask('DELETE', ENTRY)).body).toEqual({
      object: 'suppression',
      id: entry.body.id,
      email: `gone@${DOMAIN}`,
      deleted: true,
    });
    const next = await send(GONE);
    expect(next.status).toBe(201);
    await becomes(next.body.id, 'delivered');
    expect((await ask('DELETE', ENTRY)).status).toBe(404);
  });

  it('that does not concern the address, nothing is suppressed', async () => {
    for (const to of Object.keys(NOT_DEAD)) {
      await becomes((await send(to)).body.id, 'bounced');
      expect((await ask('GET', `/suppressions/${to}`)).status).toBe(404);
    }
  });

  it('or before it, a manual entry stops scheduled mail', async () => {
    const inAMoment = new Date(Date.now() + 1_500).toISOString();
    const waiting = await ask('POST', '/emails', program.mail({ to: `later@${DOMAIN}`, scheduled_at: inAMoment }));
    expect(waiting.status).toBe(201);
    expect((await ask('POST', '/suppressions', { email: `LATER@${DOMAIN}` })).status).toBe(201);
    await becomes(waiting.body.id, 'suppressed');
    expect(mx.accepted.some(({ recipients }) => recipients.includes(`later@${DOMAIN}`))).toBe(false);
  });
});
