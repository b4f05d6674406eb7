import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../support/local-dns.js';
import { mail } from '../support/mail.js';
import { startStandalone, type RunningProgram } from '../support/program.js';
import { ScriptedMx } from '../support/scripted-mx.js';
import { until } from '../support/until.js';

const GONE = 'Gone@recipients.test';
const ENTRY = '/suppressions/gone%40recipients.test';

/** Refusals that say nothing about whether there is such an address. */
const NOT_DEAD: Readonly<Record<string, string>> = {
  'spam@recipients.test': '550 5.7.1 Message looks like spam',
  'full@recipients.test': '552 5.2.2 Mailbox full',
  'callout@recipients.test':
    '550-5.1.1 Callback setup failed\r\n550-5.1.1 No such user\r\n550 5.1.1 Sender callback failed',
  'compte@recipients.test': '550 Votre compte est suspendu',
  'notice@recipients.test': `${'550-5.1.1 A notice that says nothing.\r\n'.repeat(200)}550 5.1.1 Blocked as spam.`,
};

/** An address that bounced hard gets no more mail until somebody takes it off the list (D-50, D-51). */
describe('after a hard bounce', () => {
  let dns: LocalDns;
  let mx: ScriptedMx;
  let program: RunningProgram;
  let known = false;

  beforeAll(async () => {
    mx = await ScriptedMx.start({
      on: {
        rcpt: ({ line }) => {
          if (/<gone@/i.test(line) && !known) return '550 5.1.1 No such user here';
          return Object.entries(NOT_DEAD).find(([address]) => line.includes(`<${address}>`))?.[1];
        },
      },
    });
    dns = await LocalDns.start({
      'recipients.test': { MX: [{ preference: 10, exchange: 'mx.recipients.test' }] },
      'mx.recipients.test': { A: ['127.0.0.1'] },
    });
    program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: `127.0.0.1:${dns.port}`,
    });
  });
  afterAll(async () => {
    await program?.stop();
    await mx?.close();
    await dns?.close();
    program?.clean();
  });

  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await program.call(method, path, body);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> & { id: string } };
  };
  const send = (to: string) => ask('POST', '/emails', mail({ to }));
  const becomes = (id: string, status: string) =>
    until(async () => (await ask('GET', `/emails/${id}`)).body['status'] === status, { what: `${status} of ${id}` });

  it('the address is on the list with what was seen, mail to it is refused, and passes once it is removed', async () => {
    const { body: bounced } = await send(GONE);
    await becomes(bounced.id, 'bounced');

    const entry = await ask('GET', ENTRY);
    expect(entry).toMatchObject({
      status: 200,
      body: {
        object: 'suppression',
        email: 'gone@recipients.test',
        origin: 'bounce',
        reason: expect.stringContaining('No such user here') as string,
        source_id: bounced.id,
        scope: 'account',
        expires_at: null,
        evidence: {
          email_id: bounced.id,
          recipient: expect.stringMatching(/^gone@recipients\.test$/i) as string,
          smtp_code: 550,
          enhanced_code: '5.1.1',
          text: expect.stringContaining('No such user here') as string,
          mx: 'mx.recipients.test',
          feedback_type: null,
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        },
      },
    });

    const refused = await send('GONE@Recipients.Test');
    expect(refused).toMatchObject({ status: 422, body: { error: 'unprocessable_entity' } });
    expect(JSON.stringify(refused.body['details'])).toMatch(/gone@recipients\.test/i);

    known = true;
    expect((await ask('DELETE', ENTRY)).body).toEqual({
      object: 'suppression',
      id: entry.body.id,
      email: 'gone@recipients.test',
      deleted: true,
    });
    const next = await send(GONE);
    expect(next.status).toBe(201);
    await becomes(next.body.id, 'delivered');
    expect((await ask('DELETE', ENTRY)).status).toBe(404);
  });

  it('that says nothing about the address, the list stays as it is', async () => {
    for (const to of Object.keys(NOT_DEAD)) {
      await becomes((await send(to)).body.id, 'bounced');
      expect((await ask('GET', `/suppressions/${to}`)).status).toBe(404);
    }
  });

  it('or before it, an entry that somebody makes stops mail that waits', async () => {
    const inAMoment = new Date(Date.now() + 1_500).toISOString();
    const waiting = await ask('POST', '/emails', mail({ to: 'later@recipients.test', scheduled_at: inAMoment }));
    expect(waiting.status).toBe(201);
    expect((await ask('POST', '/suppressions', { email: 'LATER@recipients.test' })).status).toBe(201);
    await becomes(waiting.body.id, 'suppressed');
    expect(mx.accepted.some(({ recipients }) => recipients.includes('later@recipients.test'))).toBe(false);
  });
});
