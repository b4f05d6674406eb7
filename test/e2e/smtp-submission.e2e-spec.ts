import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesOn, startStandalone, type RunningProgram } from '../support/program.js';
import { SmtpTalk } from '../support/smtp-talk.js';
import { until } from '../support/until.js';

const FROM = 'orders@sandbox.postloft.test';
const run = promisify(execFile);

describe('the SMTP relay', () => {
  let program: RunningProgram;

  beforeAll(async () => {
    program = await startStandalone({ SMTP_AUTH_FAILURES_PER_MINUTE: '5' });
  });
  afterAll(async () => {
    await program?.stop();
    program?.clean();
  });

  const transport = (secure: boolean) =>
    createTransport({
      host: '127.0.0.1',
      port: secure ? program.ports.smtps : program.ports.smtp,
      secure,
      requireTLS: !secure,
      tls: { rejectUnauthorized: false },
      auth: { user: FROM, pass: program.key },
    });

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
      from: `Shop <${FROM}>`,
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
        FROM,
        '--auth-password',
        program.key,
        '--from',
        FROM,
        '--to',
        `swaks-${port}@example.com`,
      ]);
      expect(stdout).toMatch(/250 2\.0\.0 queued as em_/);
      await captured(`swaks-${port}@example.com`);
    }
  });

  it('refuses AUTH and MAIL before TLS and does not offer AUTH there', async () => {
    const client = await Dialogue.open(program.ports.smtp);
    const ehlo = await client.say('EHLO me.example');
    expect(ehlo).toContain('STARTTLS');
    expect(ehlo).not.toMatch(/AUTH/);
    expect(await client.say(`AUTH PLAIN ${Buffer.from(`\0${FROM}\0${program.key}`).toString('base64')}`)).toMatch(
      /^530 5\.7\.0 /,
    );
    expect(await client.say(`MAIL FROM:<${FROM}>`)).toMatch(/^530 5\.7\.0 /);
    client.close();
  });

  it('is no open relay behind TLS either: MAIL needs a login, and the login a sender of the same account', async () => {
    const client = await Dialogue.openTls(program.ports.smtps);
    expect(await client.say('EHLO me.example')).toMatch(/AUTH.*PLAIN/);
    expect(await client.say(`MAIL FROM:<${FROM}>`)).toMatch(/^530 5\.7\.0 /);
    const auth = (user: string, password: string) =>
      client.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`);
    expect(await auth('boss@elsewhere.example', program.key)).toMatch(/^535 5\.7\.8 /);
    expect(await auth(FROM, 'pl_live_wrong')).toMatch(/^535 5\.7\.8 /);
    expect(await auth(FROM, program.key)).toMatch(/^235 /);
    client.close();
  });

  it('refuses a From that is not an active domain of the account, and a From that is two', async () => {
    const send = (from: string) =>
      transport(true).sendMail({
        envelope: { from: FROM, to: 'x@example.com' },
        raw: `From: ${from}\r\nTo: x@example.com\r\nSubject: s\r\n\r\nbody\r\n`,
      });
    await expect(send('boss@elsewhere.example')).rejects.toThrow(/550 5\.7\.1/);
    await expect(send(`${FROM}, boss@elsewhere.example`)).rejects.toThrow(/55[04] 5\.(6\.0|7\.1)/);
    await expect(send(`${FROM}\r\nFrom: boss@elsewhere.example`)).rejects.toThrow(/554 5\.6\.0/);
  });

  it('greets at once', async () => {
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const startedAt = performance.now();
      const client = await Dialogue.open(program.ports.smtp);
      times.push(performance.now() - startedAt);
      client.close();
    }
    // The library alone never greets before 100 ms.
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('takes any number of mails over one connection', async () => {
    const pool = createTransport({ ...transport(true).options, pool: true, maxConnections: 1, maxMessages: Infinity });
    const to = 'many@example.com';
    for (let i = 0; i < 600; i++) await pool.sendMail({ from: FROM, to, subject: `Mail ${i}`, text: 'hi' });
    pool.close();
  });

  it('survives 1,000 connection resets, in every phase', async () => {
    for (let i = 0; i < 1_000; i += 20)
      await Promise.all(Array.from({ length: 20 }, (_, j) => resetInPhase(program, (i + j) % 5)));
    expect((await program.call('GET', '/readyz')).status).toBe(200);
    const info = await transport(true).sendMail({ from: FROM, to: 'after@example.com', subject: 's', text: 't' });
    expect(info.response).toMatch(/^250 /);
  });

  it('sends a mail that is handed over in two transactions with one idempotency key to both, and a repeat to nobody', async () => {
    const talk = await SmtpTalk.loggedIn(program.ports.smtps, FROM, program.key);
    const submit = async (...recipients: string[]) => {
      await talk.say(`MAIL FROM:<${FROM}>`);
      for (const recipient of recipients) await talk.say(`RCPT TO:<${recipient}>`);
      await talk.say('DATA');
      return talk.say(`From: ${FROM}\r\nX-Service-Idempotency-Key: split\r\n\r\ntext\r\n.`);
    };
    const first = await submit('a@example.com', 'b@example.com');
    expect(first).toMatch(/^250 2\.0\.0 queued as em_/);
    expect(await submit('B@example.com', 'a@example.com')).toBe(first);
    const second = await submit('c@example.com');
    expect(second).toMatch(/^250 2\.0\.0 queued as em_/);
    expect(second).not.toBe(first);
    talk.close();
  });

  it('answers 451 while the store is away, and goes on in the same session when it is back (D-59)', async () => {
    const talk = await SmtpTalk.loggedIn(program.ports.smtps, FROM, program.key);
    const submit = async () => {
      // A recipient may have been put off, and then the transaction before is still open.
      for (const line of ['RSET', `MAIL FROM:<${FROM}>`, 'RCPT TO:<stored@example.com>', 'DATA']) {
        const answer = await talk.say(line);
        if (!/^[23]/.test(answer)) return answer;
      }
      return talk.say(`From: ${FROM}\r\n\r\ntext\r\n.`);
    };
    expect(await submit()).toMatch(/^250 2\.0\.0 /);
    const { master, sessions } = databaseProcesses(program.dataDir);
    // Whoever connects now waits; whoever was connected is thrown out.
    process.kill(master, 'SIGSTOP');
    for (const pid of sessions) process.kill(pid, 'SIGTERM');
    await until(async () => sessions.every(hasEnded), { what: 'the sessions to be thrown out' });
    const answer = await submit().finally(() => process.kill(master, 'SIGCONT'));
    expect(answer).toMatch(/^451 4\.3\.0 /);
    await until(async () => (await submit()).startsWith('250 2.0.0 '), { what: 'the store to take mail again' });
    talk.close();
  });

  it('blocks an address after five failed logins', async () => {
    const client = await Dialogue.openTls(program.ports.smtps);
    await client.say('EHLO me.example');
    const answers: string[] = [];
    for (let i = 0; i < 6 && !client.ended; i++)
      answers.push(await client.say(`AUTH PLAIN ${Buffer.from(`\0${FROM}\0wrong-${i}`).toString('base64')}`));
    expect(answers.filter((answer) => answer !== '').at(-1)).toMatch(/^421 4\.7\.0 /);
    client.close();
  });
});

function databaseProcesses(dataDir: string): { master: number; sessions: number[] } {
  const [{ pid: master }] = processesOn(dataDir).filter(({ command }) => /^\S*postgres /.test(command));
  const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number);
  const sessions = children.filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: postloft '),
  );
  return { master, sessions };
}

/** The stopped master buries nobody: what has ended stays as a zombie. */
function hasEnded(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') ?? true;
}

/** Resets the connection: at the banner, after EHLO, in the TLS handshake, after MAIL, in the middle of DATA. */
async function resetInPhase(program: RunningProgram, phase: number): Promise<void> {
  if (phase < 3) {
    const client = await Dialogue.open(program.ports.smtp);
    if (phase > 0) await client.say('EHLO me.example');
    if (phase > 1) await client.say('STARTTLS');
    return client.reset();
  }
  const client = await Dialogue.openTls(program.ports.smtps);
  await client.say('EHLO me.example');
  await client.say(`AUTH PLAIN ${Buffer.from(`\0${FROM}\0${program.key}`).toString('base64')}`);
  await client.say(`MAIL FROM:<${FROM}>`);
  if (phase > 3) {
    await client.say('RCPT TO:<x@example.com>');
    await client.say('DATA');
    client.write('Subject: cut\r\n\r\nhalf a li');
  }
  client.reset();
}

/** A conversation by hand: one command, one whole reply. */
class Dialogue {
  private buffer = '';
  private waiting: ((reply: string) => void) | undefined;
  ended = false;

  private constructor(
    private readonly stream: Socket,
    private readonly raw: Socket,
  ) {
    stream.setEncoding('latin1');
    stream.on('data', (text: string) => this.take(text));
    for (const socket of [stream, raw]) socket.on('error', () => undefined);
    stream.on('close', () => {
      this.ended = true;
      this.waiting?.(this.buffer);
    });
  }

  static async open(port: number): Promise<Dialogue> {
    const socket = connect(port, '127.0.0.1');
    const dialogue = new Dialogue(socket, socket);
    await dialogue.reply();
    return dialogue;
  }

  static async openTls(port: number): Promise<Dialogue> {
    const socket = connect(port, '127.0.0.1');
    const tls = connectTls({ socket, rejectUnauthorized: false });
    const dialogue = new Dialogue(tls, socket);
    await dialogue.reply();
    return dialogue;
  }

  say(command: string): Promise<string> {
    const reply = this.reply();
    this.stream.write(`${command}\r\n`);
    return reply;
  }
  write(text: string): void {
    this.stream.write(text);
  }
  reset(): void {
    this.raw.resetAndDestroy();
  }
  close(): void {
    this.stream.destroy();
  }

  private reply(): Promise<string> {
    if (this.ended) return Promise.resolve('');
    return new Promise((resolve) => {
      this.waiting = resolve;
      this.take('');
    });
  }

  private take(text: string): void {
    this.buffer += text;
    if (!this.waiting || !/^\d{3} .*\r\n$/m.test(this.buffer)) return;
    const reply = this.buffer;
    this.buffer = '';
    this.waiting(reply.trimEnd());
    this.waiting = undefined;
  }
}
