import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerToHeaders,
  BATCH,
  endlessBody,
  HOSTILE_SHAPES,
  ONE_MAIL,
  postBody,
} from '../../support/attacks/hostile-bodies.js';
import { HostileFixture } from '../../support/attacks/hostile-fixture.js';
import { LocalDns } from '../../support/dns/local-dns.js';
import type { RunningProgram } from '../../support/services/program.js';
import { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { firstSender, type Sender } from '../../support/services/sender.js';
import { simulatedOutcomesSuite } from '../delivery/simulated-outcomes.suite.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';

const MEGABYTE = 1024 * 1024;
const MESSAGE_LIMIT = 10 * MEGABYTE;
/** Mails that a silent smarthost holds when the service stops. */
const HELD = 30;
const HELD_TAG = 'tags[run]=held';

interface Refused {
  statusCode: number;
  error: string;
  details: { code: string }[];
}

/**
 * A service with a smarthost, which is stopped at the end. Every limit is tested at its full size; test/perf has the full
 * number of clients and measures the latency of honest ones.
 */
describe('a service with hostile clients', () => {
  let fixture: HostileFixture;
  let program: RunningProgram;
  let sender: Sender;
  let dns: LocalDns;
  let smarthost: ScriptedMx;

  beforeAll(async () => {
    [dns, smarthost] = await Promise.all([LocalDns.start(), ScriptedMx.start()]);
    fixture = await HostileFixture.open({
      DELIVERY_MODE: 'smarthost',
      SMARTHOST_URL: `smtp://127.0.0.1:${smarthost.port}`,
      DNS_SERVERS: dns.address,
      DELIVERY_CONCURRENCY: '4',
    });
    ({ program } = fixture);
    sender = firstSender(program);
  });
  afterAll(async () => {
    await program?.stop();
    await fixture?.close();
    await smarthost?.close();
    await dns?.close();
  });

  /** Runs first, because it counts all mail of the account. */
  describe('simulates outcomes in mode smarthost', () => {
    simulatedOutcomesSuite(async () => ({ sender, dns, publicUrl: program.url.replace('127.0.0.1', 'localhost') }));

    it('and hands none of them to the smarthost', () => {
      expect(smarthost.sessions).toEqual([]);
    });
  });

  describe('over HTTP', () => {
    it.each([
      ['one mail', ONE_MAIL],
      ['a batch', BATCH],
    ])('refuses bodies without a key before anything of them is read: %s', async (_what, { path, bytes }) => {
      const answer = await answerToHeaders(program.ports.http, [
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        'Content-Type: application/json',
        `Content-Length: ${bytes}`,
        'Expect: 100-continue',
      ]);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    });

    it.each([
      ['one mail', ONE_MAIL],
      ['a batch', BATCH],
    ])('refuses bodies that are too large by their declared length: %s', async (_what, { path, bytes }) => {
      const answer = await answerToHeaders(program.ports.http, [
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${program.key}`,
        'Content-Type: application/json',
        `Content-Length: ${bytes + 1}`,
        'Expect: 100-continue',
      ]);
      expect(answer).toMatch(/^HTTP\/1\.1 422 /);
    });

    it.each([
      ['one mail', ONE_MAIL],
      ['a batch', BATCH],
    ])('refuses bodies without a declared length where the limit is passed: %s', async (_what, { path, bytes }) => {
      const answer = await postBody(program, path, endlessBody(bytes + 2 * MEGABYTE));
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ error: 'unprocessable_entity' });
    });

    it.each(
      [ONE_MAIL, BATCH].flatMap((limit) =>
        Object.entries(HOSTILE_SHAPES).map(([shape, piece]) => ({
          shape,
          piece,
          ...limit,
          mb: limit.bytes / MEGABYTE,
        })),
      ),
    )('refuses $mb MB of $shape for $path with one problem', async ({ piece, path, bytes }) => {
      const answer = await postBody(program, path, Buffer.alloc(bytes, piece));
      const body = (await answer.json()) as Refused;
      expect([answer.status, body.error, body.details.length]).toEqual([400, 'bad_request', 1]);
    });

    it('counts the values of a batch mail by mail and all together', async () => {
      /** A comma is one value or separator, the zero before it none. */
      const complex = (values: number) => `{"x":[${'0,'.repeat(values)}0]}`;
      const codeOf = async (body: string) =>
        ((await (await postBody(program, BATCH.path, body)).json()) as Refused).details[0].code;
      // Together far more than one mail may have; the only problem is that these objects are not mails.
      expect(await codeOf(`[${Array<string>(5).fill(complex(19_000)).join(',')}]`)).not.toBe('too_complex');
      expect(await codeOf(`[{},${complex(20_000)}]`)).toBe('too_complex');
      expect(await codeOf(`[${Array<string>(7).fill(complex(19_000)).join(',')}]`)).toBe('too_complex');
      expect((await postBody(program, BATCH.path, `[${JSON.stringify(sender.mail())}]`)).status).toBe(201);
    });
  });

  describe('over SMTP', () => {
    const isWell = async () => {
      expect((await program.call('GET', '/readyz')).status).toBe(200);
      const [reply] = await fixture.attack<{ reply: string }[]>('bomb', { only: ['a small mail'] });
      expect(reply.reply).toMatch(/^250 2\.0\.0 queued as em_/);
    };

    it('survives resets in every phase', async () => {
      const cut = await fixture.attack<Record<string, number>>('resets', { count: 50 });
      expect(Object.values(cut)).toEqual(Array(9).fill(50));
      expect(program.output()).not.toMatch(/"level":[56]0/);
      await isWell();
    });

    it('survives lines of junk', async () => {
      const { lines } = await fixture.attack<{ lines: number }>('fuzz', { lines: 5_000, seed: 20_261_121 });
      expect(lines).toBeGreaterThanOrEqual(5_000);
      expect(program.output()).not.toMatch(/"level":[56]0/);
      await isWell();
    });

    it('ends a flood of commands', async () => {
      const last = await fixture.attack<string[]>('flood', { count: 5 });
      expect(new Set(last)).toEqual(new Set(['421 4.7.0 Too many commands without a mail']));
    });

    it('refuses messages that are expensive to read, and takes the honest ones', async () => {
      const results = await fixture.attack<{ name: string; reply: string }[]>('bomb', {
        only: [
          'a mail of dots',
          '50,000 parts',
          'lines that look like a boundary',
          '2,000 levels',
          '100,000 headers',
          'a To of 1 MB',
          'a To of all that is allowed',
          '20,000 pieces of a file name',
          'pieces of file names in each part',
          'encoded words',
          'encoded words without end',
        ],
      });
      expect(Object.fromEntries(results.map(({ name, reply }) => [name, reply.slice(0, 9)]))).toEqual({
        'a mail of dots': '250 2.0.0',
        '50,000 parts': '554 5.6.0',
        'lines that look like a boundary': '554 5.6.0',
        '2,000 levels': '554 5.6.0',
        '100,000 headers': '554 5.6.0',
        'a To of 1 MB': '554 5.6.0',
        'a To of all that is allowed': '250 2.0.0',
        '20,000 pieces of a file name': '554 5.6.0',
        'pieces of file names in each part': '554 5.6.0',
        'encoded words': '250 2.0.0',
        'encoded words without end': '250 2.0.0',
      });
    });

    it('answers 552 and ends the connection when a message does not end', async () => {
      const [endless] = await fixture.attack<{ last: string; sent: number }[]>('oversize', {
        count: 1,
        octets: 100_000 * MEGABYTE,
        limit: MESSAGE_LIMIT,
      });
      expect(endless.last).toBe('552 5.3.4 The message is too large');
      // `sent` includes data in the buffers of the client and the kernel.
      expect(endless.sent).toBeLessThan(100_000 * MEGABYTE);
    });

    it('allows five wrong logins a minute from an address, one after another or at once, and others to log in', async () => {
      const replies = await fixture.attack<string[]>('guess', { from: '127.0.0.66', count: 30, beside: 15 });
      expect(replies.filter((reply) => reply.startsWith('535 5.7.8'))).toHaveLength(5);
      expect(replies.filter((reply) => reply.startsWith('421 4.7.0')).length).toBe(replies.length - 5);
      await isWell();
    });

    it('ends a session at its sixth wrong login', async () => {
      const talk = SmtpTalk.open(program.ports.smtps, '127.0.0.68');
      await talk.secure();
      await talk.reply();
      await talk.say('EHLO me.example');
      const answers: string[] = [];
      for (let i = 0; i < 6 && !talk.ended; i++)
        answers.push(await talk.say(`AUTH PLAIN ${Buffer.from(`\0${sender.from}\0wrong-${i}`).toString('base64')}`));
      expect(answers.at(-1)).toMatch(/^421 4\.7\.0 /);
      talk.close();
    });

    it('answers 421 to connections beyond the share of an address', async () => {
      const { open, failed } = await fixture.attack<{ open: number; failed: number }>('idle', {
        count: 120,
        from: '127.0.0.67',
      });
      expect({ open, failed }).toEqual({ open: 100, failed: 20 });
      await isWell();
    });
  });

  describe('stopped in the middle of messages, of TLS handshakes and of deliveries', () => {
    let accepted: string[];
    let held: string[];

    beforeAll(async () => {
      await until(async () => (await listed('status=queued')).length === 0, {
        what: 'the mail before to be delivered',
      });
      // Without a greeting nothing is sent, so a stop returns the mail to the queue.
      smarthost.script = { on: { banner: 'silence' } };
      smarthost.dropConnections();
      const answers = await Promise.all(
        Array.from({ length: HELD }, (_, i) =>
          program.call('POST', '/emails', sender.mail({ to: `held-${i}@example.com`, tags: { run: 'held' } })),
        ),
      );
      held = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { id: string }).id));
      held.sort();
      await until(async () => smarthost.sessions.some(({ open }) => open), { what: 'a delivery under way' });
      const sending = fixture.attack<{ reply: string }[]>('mails', { count: 20, tag: 'stop', to: 'a@example.com' });
      const knocking = fixture.attack<number>('handshakes');
      await until(async () => (await listed('to=a@example.com')).length >= 10, { what: 'mail of the SMTP sessions' });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await program.stop()).toBe(0);
      expect(await knocking).toBeGreaterThan(20);
      accepted = (await sending).flatMap(({ reply }) => /^250 2\.0\.0 queued as (em_\w+)/.exec(reply)?.[1] ?? []);
      program = await program.restart();
    });

    async function listed(filter: string): Promise<string[]> {
      const response = await program.call('GET', `/emails?limit=100&${filter}`);
      expect(response.status, filter).toBe(200);
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id).toSorted();
    }

    it('keeps every mail that it answered 250', async () => {
      expect(accepted.length).toBeGreaterThan(0);
      const found = await Promise.all(accepted.map(async (id) => (await program.call('GET', `/emails/${id}`)).status));
      expect(new Set(found)).toEqual(new Set([200]));
    });

    it('lists the mail that it returned to the queue as queued or sending, and not as delivered', async () => {
      // Some are being delivered again by now; every mail is in exactly one of the two lists.
      await until(
        async () => {
          const [queued, sending] = [
            await listed(`${HELD_TAG}&status=queued`),
            await listed(`${HELD_TAG}&status=sending`),
          ];
          return queued.length > 0 && [...queued, ...sending].toSorted().join() === held.join();
        },
        { what: 'every mail queued or on its way' },
      );
      expect(await listed(`${HELD_TAG}&last_event=queued`)).toEqual(held);
      expect(await listed(`${HELD_TAG}&status=delivered`)).toEqual([]);
    });
  });
});
