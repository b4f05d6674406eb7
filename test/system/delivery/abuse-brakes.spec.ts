import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../support/services/cli.js';
import type { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { ask as command } from '../../support/services/host-client.js';
import { MailNetwork } from '../../support/services/mail-network.js';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';
import { relayClient } from '../../support/services/relay-client.js';

const DOMAIN = 'abuse-brakes.test';
const OPS = 'abuse-brakes-ops.test';
const SLOW = 'abuse-brakes-slow.test';
const PER_MAIL = 50;

/** With the default limits: more than 10% of at least 1,000 recipients. */
describe('an account of which too much mail bounces', () => {
  let network: MailNetwork<ServiceAccount>;
  let account: ServiceAccount;
  let mx: ScriptedMx;
  let ops: ScriptedMx;
  let hooks: WebhookReceiver;

  beforeAll(async () => {
    hooks = await WebhookReceiver.start();
    network = await MailNetwork.open('delivery', [DOMAIN, OPS, SLOW]);
    account = network.sender;
    mx = await network.mailServer(DOMAIN, {
      on: { rcpt: ({ line }) => (/<gone/.test(line) ? '550 5.1.1 No such user here' : undefined) },
    });
    ops = await network.mailServer(OPS);
  });
  afterAll(async () => {
    await network?.close();
    await hooks?.close();
  });

  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await account.call(method, path, body);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> & { id: string } };
  };
  const recipients = (mail: number) =>
    Array.from({ length: PER_MAIL }, (_, i) => `${i % 5 === 0 ? 'gone' : 'user'}${mail}x${i}@${DOMAIN}`);
  const overSmtp = () => relayClient(account).sendMail({ from: account.from, to: `user@${DOMAIN}`, text: 'Hi' });
  const noticesOf = (words: string) =>
    ops.accepted.filter((mail) => mail.content.toString().includes(`Subject: ${words}`));

  it('sends nothing of what is claimed already, once its account is blocked', async () => {
    // Its greeting takes longer than a change of an account needs to be noticed.
    const slow = await network.mailServer(SLOW, { on: { banner: { drip: '220 mx.test ready\r\n', everyMs: 100 } } });
    const other = await openAccount('delivery');
    for (let i = 0; i < 6; i++)
      expect((await other.call('POST', '/emails', other.mail({ to: `u${i}@${SLOW}` }))).status).toBe(201);
    await until(async () => slow.sessions.length > 0, { what: 'the first connection' });
    await command('POST', '/commands/delivery', JSON.stringify(['accounts', 'block', other.id]));
    await until(async () => slow.count('ehlo') > 0, { what: 'the end of the greeting' });
    await sleep(1_000);
    expect(slow.count('mail')).toBe(0);
  });

  it('is paused: refused over REST and SMTP, told by event and mail, held and explained; and sends again when resumed', async () => {
    const hook = { url: hooks.url('/hook'), events: ['account.paused', 'account.resumed'] };
    expect((await ask('POST', '/webhooks', hook)).status).toBe(201);
    expect((await ask('PATCH', '/account', { notify_addresses: [`ops@${OPS}`] })).status).toBe(200);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await ask('POST', '/emails', account.mail({ to: `user@${DOMAIN}`, scheduled_at: later }));
    for (let mail = 0; mail < 1_000 / PER_MAIL; mail++)
      expect((await ask('POST', '/emails', account.mail({ to: recipients(mail) }))).status).toBe(201);

    const shown = await until(async () => {
      const { body } = await ask('GET', '/account');
      return body['status'] === 'paused' ? body : null;
    });
    expect(shown['sending_pause']).toMatchObject({ reason: 'bounces', recipients: 1_000, hard_bounces: 200 });

    const refused = { status: 403, body: { name: 'invalid_access', details: [{ code: 'sending_paused' }] } };
    const isRefused = () => ask('POST', '/emails', account.mail({ to: `user@${DOMAIN}` }));
    await until(async () => (await isRefused()).status === 403, { what: 'the pause to take effect' });
    expect(await isRefused()).toMatchObject(refused);
    expect(await ask('POST', '/emails/batch', [account.mail({ to: `user@${DOMAIN}` })])).toMatchObject(refused);
    const facade = account.mail({ to: `user@${DOMAIN}` });
    expect(await ask('POST', '/resend/emails', facade)).toMatchObject({
      status: 403,
      body: { name: 'invalid_access' },
    });
    await expect(overSmtp()).rejects.toThrow('554 5.7.1 Sending is paused');
    expect((await ask('GET', '/emails')).status).toBe(200);

    expect((await ask('GET', `/emails/${scheduled.body.id}/explain`)).body['recipients']).toMatchObject([
      {
        waiting_for: 'account',
        because: expect.stringMatching(/^Sending of the account has been paused since/) as string,
      },
    ]);
    const metrics = await (await fetch(`${account.url}/metrics`)).text();
    expect(metrics).toMatch(/^postloft_accounts_paused [1-9]/m);
    expect(metrics).toMatch(/^postloft_sending_pauses_total\{reason="bounces"\} [1-9]/m);

    const [paused] = await hooks.waitFor('/hook', 1);
    expect(JSON.parse(paused.body)).toMatchObject({ type: 'account.paused', data: { hard_bounces: 200 } });
    const [notice] = await until(() => Promise.resolve(noticesOf('Sending is paused')).then((n) => n.length > 0 && n));
    expect(notice.content.toString()).toContain('Auto-Submitted: auto-generated');
    expect(notice.recipients.join()).toContain(`ops@${OPS}`);

    expect(JSON.parse(await cli(account.env, 'accounts', 'resume', account.id, '--json'))).toMatchObject({
      resumed: true,
    });
    const again = await until(async () => {
      const { status, body } = await ask('POST', '/emails', account.mail({ to: `user@${DOMAIN}` }));
      return status === 201 ? body : null;
    });
    await until(async () => (await ask('GET', `/emails/${again.id}`)).body['status'] === 'delivered');
    expect(mx.accepted.length).toBeGreaterThan(1_000 / PER_MAIL);
    const [, resumed] = await hooks.waitFor('/hook', 2);
    expect(JSON.parse(resumed.body)).toMatchObject({ type: 'account.resumed' });
    await until(() => Promise.resolve(noticesOf('Sending is resumed').length === 1));
    expect(noticesOf('Sending is paused')).toHaveLength(1);
  });
});
