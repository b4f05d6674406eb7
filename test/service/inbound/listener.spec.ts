import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { InboundServer } from '#apps/smtp/src/inbound/inbound-server';
import { InboundSession } from '#apps/smtp/src/inbound/inbound-session';
import { CertificateStore, IssuedCertificates } from '#libs/certificates';
import { Health, loadConfig, Log, SecretBox, Shutdown, type Config } from '#libs/kernel';
import { openInboundFixture, type InboundFixture, type SentMail } from '../../support/inbound/inbound-fixture.js';
import { dsn } from '../../support/samples/inbound-reports.js';
import { freePorts } from '../../support/services/ports.js';
import { selfSignedCertificate, type Certificate } from '../../support/fixtures/self-signed-certificate.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';

const MINUTE = 60_000;
/** Deadlines and certificates are looked at every second. */
const LOOKED_MS = 1_100;

/** The listener of the program, with its own deadlines, stop and watch of its certificate. */
interface Listener {
  shutdown: Shutdown;
  health: Health;
  /** Of its log. */
  lines: string[];
}

let fixture: InboundFixture;
let dir: string;
let port: number;
let listener: Listener;
const talks: SmtpTalk[] = [];

beforeAll(async () => {
  fixture = await openInboundFixture();
  dir = mkdtempSync(join(tmpdir(), 'postloft-inbound-'));
});
afterAll(async () => {
  await fixture?.close();
  rmSync(dir, { recursive: true, force: true });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const talk of talks.splice(0)) talk.close();
  await listener?.shutdown.run();
  await fixture.clear();
});

async function open(): Promise<Listener> {
  [port] = await freePorts(1);
  show(selfSignedCertificate('one.test'));
  const lines: string[] = [];
  const log = new Log(pino({}, { write: (line: string) => lines.push(line) }));
  const [shutdown, health] = [new Shutdown(log), new Health(log)];
  const config = settings();
  const session = new InboundSession(fixture.inbound, log, config);
  const issued = new IssuedCertificates(
    new CertificateStore(fixture.queueFixture.db.database, new SecretBox(config.masterKey)),
    config,
    log,
    shutdown,
  );
  await new InboundServer(session, config, log, issued, shutdown, health).onApplicationBootstrap();
  listener = { shutdown, health, lines };
  return listener;
}

function settings(): Config {
  return loadConfig('smtp', {
    DATABASE_URL: fixture.queueFixture.db.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    INBOUND_SMTP_PORT: String(port),
    SMTP_TLS_CERT: join(dir, 'tls.crt'),
    SMTP_TLS_KEY: join(dir, 'tls.key'),
  });
}

/** Each file by one rename. */
function show({ cert, key }: Certificate): void {
  for (const [name, text] of [
    ['tls.key', key],
    ['tls.crt', cert],
  ]) {
    writeFileSync(join(dir, `${name}.new`), text);
    renameSync(join(dir, `${name}.new`), join(dir, name));
  }
}

async function greeted(secured = false): Promise<SmtpTalk> {
  const talk = SmtpTalk.open(port);
  talks.push(talk);
  expect(await talk.reply()).toEqual([expect.stringMatching(/^220 /)]);
  await talk.say('EHLO mx.reporters.example');
  if (!secured) return talk;
  expect(await talk.say('STARTTLS')).toMatch(/^220 /);
  await talk.secure();
  await talk.say('EHLO mx.reporters.example');
  return talk;
}

/** In the middle of a message to the postmaster. */
async function sending(talk: SmtpTalk): Promise<void> {
  expect(await talk.say('MAIL FROM:<>')).toMatch(/^250 /);
  expect(await talk.say(`RCPT TO:<postmaster@${fixture.serviceDomain}>`)).toMatch(/^250 /);
  expect(await talk.say('DATA')).toMatch(/^354 /);
  talk.write('Subject: a report\r\n\r\nhalf of it');
}

it('stops at once for servers that only wait, takes the report that is coming in, and nothing new', async () => {
  const { shutdown, health } = await open();
  const [idle, busy] = [await greeted(), await greeted(true)];
  await sending(busy);
  const stopping = shutdown.run();
  expect(await idle.reply()).toEqual([expect.stringMatching(/^421 4\.3\.2 /)]);
  await idle.end();
  const late = SmtpTalk.open(port);
  talks.push(late);
  await late.end();
  expect(late.pending).toBe('');
  expect(await fixture.stored()).toEqual([]);
  expect(await health.failures()).toEqual({ inbound: 'the listener is closed' });
  expect(await busy.say('\r\n.')).toMatch(/^250 2\.0\.0 /);
  expect(await busy.reply()).toEqual([expect.stringMatching(/^421 4\.3\.2 /)]);
  await stopping;
  expect(await fixture.stored()).toMatchObject([{ verdict: 'kept' }]);
});

it('answers a report while others wait for DNS', async () => {
  await open();
  fixture.dns.set('silent.example', { fault: 'silent' });
  const several = await fixture.send(['ada@silent.example', 'grace@silent.example']);
  const single = await fixture.send(['ada@rcpt.example']);
  const answered: string[] = [];
  const report = async (name: string, { returnPath }: SentMail, message: string) => {
    const talk = await greeted();
    await talk.say('MAIL FROM:<>');
    await talk.say(`RCPT TO:<${returnPath}>`);
    await talk.say('DATA');
    answered.push(`${name} ${(await talk.say(`${message}.`)).slice(0, 3)}`);
  };
  const waiting = Array.from({ length: 8 }, () =>
    report('several', several, dsn(several, [{ final: 'ada@silent.example' }])),
  );
  // All of them, and more than are processed at once.
  await until(async () => fixture.dns.questions.filter(({ name }) => name === 'silent.example').length >= 8, {
    what: 'their questions',
  });
  await report('single', single, dsn(single));
  expect(answered).toEqual(['single 250']);
  await Promise.all(waiting);
  expect(answered.slice(1)).toEqual(Array(8).fill('several 451'));
});

// RFC 5321 §4.1.2 and .3.
it.each(['"a b"@c.example', '"a@b \\" $& c"@d.example', 'a.@c.example', 'a@[192.0.2.1]'])(
  'takes mail of <%s>',
  async (from) => {
    await open();
    const talk = await greeted();
    expect(await talk.say(`MAIL FROM:<${from}> SIZE=100 BODY=8BITMIME`)).toMatch(/^250 /);
    expect(await talk.say(`RCPT TO:<"post master"@${fixture.serviceDomain}>`)).toMatch(/^550 5\.1\.1 /);
    expect(await talk.say(`RCPT TO:<postmaster@${fixture.serviceDomain}>`)).toMatch(/^250 /);
    expect(await talk.say('DATA')).toMatch(/^354 /);
    expect(await talk.say('Subject: hello\r\n\r\nhello\r\n.')).toMatch(/^250 /);
    expect(await fixture.rows('SELECT mail_from FROM inbound_messages')).toEqual([{ mail_from: from }]);
  },
);

it.each(['"a b@c.example', '"a b"c@d.example', '"a\u200bb"@c.example', '"a b"@'])(
  'takes none of <%s>',
  async (from) => {
    await open();
    expect(await (await greeted()).say(`MAIL FROM:<${from}> SMTPUTF8`)).toMatch(/^501 /);
  },
);

it('gives a report that does not end five seconds when it stops', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { shutdown } = await open();
  const talk = await greeted();
  await sending(talk);
  const stopping = shutdown.run();
  vi.advanceTimersByTime(4_900);
  await later(200);
  expect(talk.ended).toBe(false);
  vi.advanceTimersByTime(100);
  expect(await talk.reply()).toEqual([expect.stringMatching(/^421 4\.3\.2 /)]);
  await stopping;
  expect(await fixture.stored()).toEqual([]);
});

it('shows a renewed certificate to who comes then, goes on with who is there, and looks no more when it has stopped', async () => {
  const { shutdown, lines } = await open();
  const before = await greeted(true);
  expect(before.certificateName).toBe('one.test');
  show(selfSignedCertificate('two.test'));
  await until(async () => (await greeted(true)).certificateName === 'two.test', { what: 'the new certificate' });
  await sending(before);
  expect(await before.say('\r\n.')).toMatch(/^250 /);
  expect(await fixture.stored()).toHaveLength(1);
  await shutdown.run();
  show(selfSignedCertificate('three.test'));
  await later(2 * LOOKED_MS);
  expect(lines.filter((line) => line.includes('certificate'))).toHaveLength(1);
});

it('ends every session after ten minutes, whatever it says, in the middle of a message too', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  await open();
  const [waits, sends] = [await greeted(), await greeted()];
  vi.advanceTimersByTime(10 * MINUTE - 1_000);
  await later(LOOKED_MS);
  expect(await waits.say('NOOP')).toMatch(/^250 /);
  await sending(sends);
  vi.advanceTimersByTime(1_000);
  for (const talk of [waits, sends]) {
    expect(await talk.reply()).toEqual(['421 4.4.2 This connection is open for too long']);
    await talk.end();
  }
  expect(await fixture.stored()).toEqual([]);
  expect(await (await greeted()).say('NOOP')).toMatch(/^250 /);
});
