import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';
import { relayClient } from '../../support/services/relay-client.js';

const run = promisify(execFile);

describe('the SMTP relay', () => {
  let program: ServiceAccount;

  beforeAll(async () => {
    program = await openAccount('smtp');
  });

  const transport = (secure: boolean) =>
    relayClient(program, secure ? {} : { port: program.ports.smtp, secure, requireTLS: true });

  const captured = (to: string) =>
    until(async () => {
      const { data } = (await (await program.call('GET', `/captured?to=${encodeURIComponent(to)}`)).json()) as {
        data: { id: string; email_id: string; rcpt_to: string[] }[];
      };
      return data[0];
    });
  const raw = async (id: string) => (await program.call('GET', `/captured/${id}/raw`)).text();

  it.each([
    ['2587 with STARTTLS', false],
    ['2465 with TLS', true],
  ])('takes mail from nodemailer on port %s', async (_name, secure) => {
    const to = `nodemailer-${secure}@example.com`;
    const info = await transport(secure).sendMail({
      from: `Shop <${program.from}>`,
      to,
      cc: 'c@example.com',
      bcc: 'hidden@example.com',
      subject: 'Grüße',
      text: '.dot\nline',
      html: '<b>hi</b>',
      headers: { 'X-Service-Tag-order': '42', 'X-Mine': 'kept' },
    });
    expect(info.response).toMatch(/^250 2\.0\.0 queued as em_[0-9a-f]{32}$/);
    const id = info.response.slice(-35);
    const mail = await until(async () => {
      const shown = (await (await program.call('GET', `/emails/${id}`)).json()) as { status: string };
      return shown.status === 'delivered' ? shown : null;
    });
    expect(mail).toMatchObject({
      subject: 'Grüße',
      tags: { order: '42' },
      to: [to],
      cc: ['c@example.com'],
      bcc: ['hidden@example.com'],
      text: '.dot\r\nline',
    });
    const message = await raw((await captured(to)).id);
    expect(message).toContain('X-Mine: kept');
    expect(message).not.toMatch(/x-service-tag|^bcc:|hidden@/im);
    expect((await captured('hidden@example.com')).email_id).toMatch(/^em_/);
  });

  it('takes mail from swaks', async ({ skip }) => {
    const found = await run('swaks', ['--version']).then(
      () => true,
      () => false,
    );
    if (!found && process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error('swaks is not installed');
    if (!found) skip('swaks is not installed');
    for (const [port, flag] of [
      [program.ports.smtp, '--tls'],
      [program.ports.smtps, '--tls-on-connect'],
    ] as const) {
      const { stdout } = await run('swaks', [
        '--server',
        '127.0.0.1',
        '--port',
        String(port),
        flag,
        '--auth',
        'PLAIN',
        '--auth-user',
        program.from,
        '--auth-password',
        program.key,
        '--from',
        program.from,
        '--to',
        `swaks-${port}@example.com`,
      ]);
      expect(stdout).toMatch(/250 2\.0\.0 queued as em_/);
      await captured(`swaks-${port}@example.com`);
    }
  });

  it('refuses AUTH and MAIL before TLS and does not offer AUTH there', async () => {
    const client = SmtpTalk.open(program.ports.smtp);
    await client.reply();
    const ehlo = await client.say('EHLO me.example');
    expect(ehlo).toContain('STARTTLS');
    expect(ehlo).not.toMatch(/AUTH/);
    expect(
      await client.say(`AUTH PLAIN ${Buffer.from(`\0${program.from}\0${program.key}`).toString('base64')}`),
    ).toMatch(/^530 5\.7\.0 /);
    expect(await client.say(`MAIL FROM:<${program.from}>`)).toMatch(/^530 5\.7\.0 /);
    client.close();
  });

  it('is no open relay behind TLS either: MAIL needs a login, and the login a sender of the same account', async () => {
    const client = new SmtpTalk(program.ports.smtps, { secure: true });
    await client.reply();
    expect(await client.say('EHLO me.example')).toMatch(/AUTH.*PLAIN/);
    expect(await client.say(`MAIL FROM:<${program.from}>`)).toMatch(/^530 5\.7\.0 /);
    const auth = (user: string, password: string) =>
      client.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`);
    expect(await auth('boss@elsewhere.example', program.key)).toMatch(/^535 5\.7\.8 /);
    expect(await auth(program.from, 'pl_live_wrong')).toMatch(/^535 5\.7\.8 /);
    expect(await auth(program.from, program.key)).toMatch(/^235 /);
    client.close();
  });

  it('rejects a From outside the active domains of the account, and two From addresses', async () => {
    const send = (from: string) =>
      transport(true).sendMail({
        envelope: { from: program.from, to: 'x@example.com' },
        raw: `From: ${from}\r\nTo: x@example.com\r\nSubject: s\r\n\r\nbody\r\n`,
      });
    await expect(send('boss@elsewhere.example')).rejects.toThrow(/550 5\.7\.1/);
    await expect(send(`${program.from}, boss@elsewhere.example`)).rejects.toThrow(/55[04] 5\.(6\.0|7\.1)/);
    await expect(send(`${program.from}\r\nFrom: boss@elsewhere.example`)).rejects.toThrow(/554 5\.6\.0/);
  });

  it('takes any number of mails over one connection', async () => {
    const talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
    // More commands in total than a session may send without a mail, and fewer per mail than slow a client down.
    for (let i = 0; i < 100; i++) {
      talk.write('NOOP\r\n'.repeat(20));
      for (let k = 0; k < 20; k++) expect((await talk.reply()).join()).toMatch(/^250 /);
      talk.write(`MAIL FROM:<${program.from}>\r\nRCPT TO:<many@example.com>\r\nDATA\r\n`);
      for (const code of ['250', '250', '354']) expect((await talk.reply()).join()).toMatch(new RegExp(`^${code} `));
      expect(await talk.say(`From: ${program.from}\r\nSubject: Mail ${i}\r\n\r\nhi\r\n.`)).toMatch(/^250 2\.0\.0 /);
    }
    talk.close();
  });

  it('answers the repetition of a scheduled mail as the first one, although its time has passed', async () => {
    const at = new Date(Date.now() + 2_000).toISOString();
    const submit = async (): Promise<string> => {
      const talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
      for (const line of [`MAIL FROM:<${program.from}>`, 'RCPT TO:<scheduled@example.com>', 'DATA'])
        await talk.say(line);
      const fields = `X-Service-Idempotency-Key: scheduled\r\nX-Service-Scheduled-At: ${at}`;
      const reply = await talk.say(`From: ${program.from}\r\n${fields}\r\n\r\ntext\r\n.`);
      talk.close();
      return reply;
    };
    const first = await submit();
    expect(first).toMatch(/^250 2\.0\.0 queued as em_/);
    await until(async () => Date.now() > Date.parse(at) + 1_000);
    expect(await submit()).toBe(first);
  });

  it('sends a mail of two transactions with one idempotency key to both recipients, and a repeat to none', async () => {
    const talk = await SmtpTalk.loggedIn(program.ports.smtps, program.from, program.key);
    const submit = async (...recipients: string[]) => {
      await talk.say(`MAIL FROM:<${program.from}>`);
      for (const recipient of recipients) await talk.say(`RCPT TO:<${recipient}>`);
      await talk.say('DATA');
      return talk.say(`From: ${program.from}\r\nX-Service-Idempotency-Key: split\r\n\r\ntext\r\n.`);
    };
    const first = await submit('a@example.com', 'b@example.com');
    expect(first).toMatch(/^250 2\.0\.0 queued as em_/);
    expect(await submit('B@example.com', 'a@example.com')).toBe(first);
    const second = await submit('c@example.com');
    expect(second).toMatch(/^250 2\.0\.0 queued as em_/);
    expect(second).not.toBe(first);
    talk.close();
  });
});
