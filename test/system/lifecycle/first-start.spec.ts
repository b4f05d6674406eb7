import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/browser/browser.js';
import { firstMailSuite } from './first-mail.suite.js';
import { LocalDns } from '../../support/dns/local-dns.js';
import { mail } from '../../support/samples/mail.js';
import { freePorts } from '../../support/services/ports.js';
import { privateAddressesSuite } from './private-addresses.suite.js';
import {
  callersOf,
  emptyDataDir,
  launch,
  processesOn,
  standaloneEnv,
  type RunningProgram,
} from '../../support/services/program.js';
import { MailNetwork, mxSettings } from '../../support/services/mail-network.js';
import { openCommandLine } from '../../support/services/command-line.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';

const MAIN = join(new URL('../../../', import.meta.url).pathname, 'dist/programs/standalone.js');
const FROM = 'orders@sandbox.postloft.test';
const run = promisify(execFile);

/** One service on an empty data directory: two starts, and two attempts that fail. */
describe('the program on an empty data directory', () => {
  let env: Record<string, string>;
  let program: RunningProgram;
  let key: string;
  let mailId: string;

  beforeAll(async () => {
    env = await standaloneEnv(emptyDataDir());
  });
  afterAll(async () => {
    await program?.kill();
    program?.clean();
  });

  it('shows no API key when it cannot start, and names the port that is taken', async () => {
    const { stdout, stderr } = await startBesidePort('HTTP_PORT');
    expect(stderr).toContain('(HTTP_PORT) is taken');
    expect(stdout).not.toContain('First API key');
  });

  it('shows the first API key at the first start that succeeds, and makes a domain to send from', async () => {
    program = await launch('standalone', env);
    await until(async () => program.output().includes('Postloft is running'), { what: 'the welcome' });
    key = shownKey() ?? '';
    program = { ...program, key, ...callersOf(program.url, key) };
    const answer = await program.call('GET', '/domains');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject([{ name: 'sandbox.postloft.test' }]);
  });

  it('prints a link that logs the first owner in once, and `login-link` prints another', async () => {
    const [, printed] = /Dashboard +(\S+) {2}\(first login/.exec(program.output()) ?? [];
    const commands = await openCommandLine(env);
    const { url, email } = (await commands.run(['login-link'])) as { url: string; email: string };
    await commands.close();
    for (const link of [printed, url].map((one) => new URL(one))) {
      expect(link.origin).toBe(`http://localhost:${new URL(program.url).port}`);
      const browser = new Browser(Number(link.port));
      const answer = await browser.navigate(link.pathname + link.search);
      expect([answer.status, answer.headers['location']]).toEqual([302, '/app/']);
      expect((await browser.get('/app/api/session')).body.viewer).toMatchObject({
        user: { email },
        account: { name: 'First account', role: 'owner', operator: true },
      });
      const again = await new Browser(Number(link.port)).navigate(link.pathname + link.search);
      expect(again.headers['location']).toBe('/app/login?error=link_expired');
    }
  });

  it('prints the link of an invitation where no mail is delivered', async () => {
    const commands = await openCommandLine(env);
    const { url } = (await commands.run(['login-link'])) as { url: string };
    const link = new URL(url);
    const browser = new Browser(Number(link.port));
    await browser.navigate(link.pathname + link.search);
    const email = 'invited@example.com';
    expect((await browser.post('/app/api/invitations', { email, role: 'viewer' })).status).toBe(201);
    const account = (await browser.get('/app/api/session')).body.viewer.account.id;
    const printed = (await commands.run(['login-link', '--email', 'Invited@Example.com'])) as {
      invitations: { account: string; url: string }[];
    };
    expect(printed).toMatchObject({ email: 'Invited@Example.com', invitations: [{ account }] });
    const token = new URL(printed.invitations[0].url).searchParams.get('token');
    const lookup = await new Browser(Number(link.port)).post('/app/api/invitations/lookup', { token });
    expect([lookup.status, lookup.body]).toMatchObject([200, { email }]);
    await expect(commands.run(['login-link', '--email', 'nobody@example.com'])).rejects.toThrow('There is no user');
    await commands.close();
    const actions = (await browser.get('/audit-log?action=invitation')).body.data as { action: string }[];
    expect(actions.map(({ action }) => action)).toEqual(['invitation.resent', 'invitation.created']);
  });

  describe('takes its first mail, which', () => firstMailSuite(async () => program));

  it('keeps its data from other users', () => {
    const readable = (path: string) => (statSync(path).mode & 0o077) !== 0;
    const folders = foldersBelow(program.dataDir);
    expect(folders.length).toBeGreaterThan(10);
    expect(folders.filter((folder) => existsSync(folder) && readable(folder))).toEqual([]);
    // Another user runs the database, and passes through.
    expect(statSync(program.dataDir).mode & 0o777).toBe(process.geteuid?.() === 0 ? 0o711 : 0o700);
    const secrets = ['master-key', 'database-url', 'smtp-certificate-key.pem', 'postgres/password'];
    expect(secrets.filter((name) => readable(join(program.dataDir, name)))).toEqual([]);
  });

  it('ends on SIGTERM under load, with code 0 and without leaving a process', async () => {
    mailId = ((await (await program.call('POST', '/emails', mail())).json()) as { id: string }).id;
    const sending = Array.from({ length: 50 }, (_, i) =>
      program.call('POST', '/emails', mail({ subject: `s${i}` })).catch(() => null),
    );
    const stopped = program.stop();
    // As npm and supervisors do.
    process.kill(program.pid, 'SIGTERM');
    expect(await stopped).toBe(0);
    expect(processesOn(program.dataDir)).toEqual([]);
    await Promise.all(sending);
  });

  describe('at its second start, without private addresses', () => {
    let network: MailNetwork;

    beforeAll(async () => {
      const dns = await LocalDns.start();
      const [mxPort] = await freePorts(1);
      // The second start has other settings: a log for people, delivery to MX hosts, and the default rate limit.
      const settings = { ...mxSettings(dns, mxPort), ALLOW_PRIVATE_MX: 'false', LOG_FORMAT: 'pretty' };
      const { RATE_LIMIT_PER_SECOND: _unlimited, ...others } = env;
      const started = await launch('standalone', { ...others, ...settings });
      program = { ...started, key, ...callersOf(started.url, key) };
      network = MailNetwork.around(program, dns, mxPort);
    });
    afterAll(() => network?.close());

    it('has its data and its key, and does not show the key again', async () => {
      expect((await program.call('GET', `/emails/${mailId}`)).status).toBe(200);
      await until(async () => program.output().includes('as shown at the first start'), { what: 'the welcome' });
      expect(shownKey()).toBeUndefined();
    });

    it('allows 100 requests per second and account unless told otherwise', async () => {
      const answer = await program.call('GET', '/domains');
      expect(answer.headers.get('ratelimit-limit')).toBe('100');
    });

    it('writes its log for people, if told to', async () => {
      // The log is written by a thread of its own and may lag behind.
      const line = /^\[\d\d:\d\d:\d\d\] INFO: started \{.*\}$/m;
      await until(async () => line.test(program.output()), { what: 'the line that it has started' });
    });

    it('refuses a second instance on the same data directory, in one sentence', async () => {
      const second = await run(process.execPath, [MAIN], {
        env: { PATH: process.env['PATH'] ?? '', ...env, HTTP_PORT: '1' },
      }).catch((error: { code: number; stderr: string }) => error);
      expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
      expect((second as { stderr: string }).stderr.trim().split('\n')).toHaveLength(1);
    });

    privateAddressesSuite(() => network);

    it('answers 451 while the database is away, and goes on in the same session when it is back', async () => {
      const talk = await SmtpTalk.loggedIn(program.ports.smtps, FROM, key);
      const submit = async () => {
        // After a refused recipient the transaction before is still open.
        for (const line of ['RSET', `MAIL FROM:<${FROM}>`, 'RCPT TO:<stored@example.com>', 'DATA']) {
          const answer = await talk.say(line);
          if (!/^[23]/.test(answer)) return answer;
        }
        return talk.say(`From: ${FROM}\r\n\r\ntext\r\n.`);
      };
      expect(await submit()).toMatch(/^250 2\.0\.0 /);
      const { master, sessions } = databaseProcesses(program.dataDir);
      // New connections wait for the stopped process; existing sessions are terminated.
      process.kill(master, 'SIGSTOP');
      for (const pid of sessions) process.kill(pid, 'SIGTERM');
      await until(async () => sessions.every(hasEnded), { what: 'the sessions to end' });
      const answer = await submit().finally(() => process.kill(master, 'SIGCONT'));
      expect(answer).toMatch(/^451 4\.3\.0 /);
      await until(async () => (await submit()).startsWith('250 2.0.0 '), { what: 'the database to take mail again' });
      talk.close();
    });

    it('outlives its database server, which it starts again, however that was ended', async () => {
      for (const signal of ['SIGKILL', 'SIGSEGV'] as const) {
        const { master } = await until(async () => databaseProcesses(program.dataDir), { what: 'the database server' });
        process.kill(master, signal);
        await until(async () => !processIds(program.dataDir).includes(master), { what: 'the server to end' });
        await until(async () => (await program.call('POST', '/emails', mail())).status === 201, {
          what: `mail to be accepted after ${signal}`,
        });
      }
    });
  });

  it('says in one sentence which port is taken, after it has run before, and stops', async () => {
    expect(await program.stop()).toBe(0);
    const { stderr } = await startBesidePort('INBOUND_SMTP_PORT');
    const sentence = `Port ${env['INBOUND_SMTP_PORT']} of 127.0.0.1 (INBOUND_SMTP_PORT) is taken by another program`;
    // Compared as a whole, so that a failure shows all of the output.
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining(sentence)]);
  });

  const shownKey = () => /First API key +(\S+)/.exec(program.output())?.[1];

  /** Starts the program while another one listens on a port of its settings; it must end with code 1. */
  async function startBesidePort(name: string): Promise<{ stdout: string; stderr: string }> {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(env[name]), '127.0.0.1', resolve));
    const ended = (await run(process.execPath, [MAIN], { env: { PATH: process.env['PATH'] ?? '', ...env } }).catch(
      (error: unknown) => error,
    )) as { code?: number; stdout: string; stderr: string };
    await new Promise((resolve) => other.close(resolve));
    expect(ended).toMatchObject({ code: 1 });
    return ended;
  }
});

const processIds = (dataDir: string): number[] => processesOn(dataDir).map(({ pid }) => pid);

function databaseProcesses(dataDir: string): { master: number; sessions: number[] } {
  const [{ pid: master }] = processesOn(dataDir).filter(({ command }) => /^\S*postgres /.test(command));
  const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number);
  const sessions = children.filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: postloft '),
  );
  return { master, sessions };
}

/** The stopped parent collects no exit status: a process that has ended stays as a zombie. */
function hasEnded(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') ?? true;
}

/** Engines remove temporary folders meanwhile. */
function foldersBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const own = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return own.map(({ name }) => join(folder, name)).flatMap((path) => [path, ...foldersBelow(path)]);
}
