import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Recorder } from '../support/mail-servers/recorder.js';
import { HostileFixture } from '../support/attacks/hostile-fixture.js';
import { LocalDns } from '../support/dns/local-dns.js';
import { mail } from '../support/samples/mail.js';
import { API_KEY, processesOn, type RunningProgram } from '../support/services/program.js';
import { reconcile } from '../support/delivery/reconciler.js';
import { until } from '../support/timing/until.js';

const ROUNDS = Number(process.env['POSTLOFT_STOPS'] ?? 4);
const PER_SECOND = 200;
const SESSIONS = 50;
const DOMAINS = 20;
const DOT_MS = 500;
const LOAD_MS = 1_500;
const STOP_MS = 10_000;

interface Told {
  subject: string;
  to: string;
  reply: string;
}

/** SIGTERM while requests arrive, messages are half transmitted and slow servers are still to reply. */
describe('SIGTERM under load', () => {
  const sent = new Map<string, string>();
  const accepted = new Map<string, string>();
  let sink: Recorder;
  let dns: LocalDns;
  let fixture: HostileFixture;
  let program: RunningProgram;

  beforeAll(async () => {
    sink = await Recorder.start({ dotMs: DOT_MS });
    const domains = Array.from({ length: DOMAINS }, (_, i) => `slow${i}.test`);
    dns = await LocalDns.start({
      ...Object.fromEntries(domains.map((name) => [name, { MX: [{ preference: 10, exchange: 'mx.test' }] }])),
      'mx.test': { A: ['127.0.0.1'] },
    });
    fixture = await HostileFixture.open({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(sink.ports.smtp),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: `127.0.0.1:${dns.port}`,
      // All domains share one server.
      CONNECTIONS_PER_HOST: '100',
      DELIVERY_CONCURRENCY: '100',
    });
    program = fixture.program;
  });
  afterAll(async () => {
    await program?.stop();
    await sink?.close();
    await dns?.close();
    await fixture?.close();
  });

  it(
    `loses nothing, repeats nothing and ends in time, ${ROUNDS} times, and at once on the second signal`,
    async () => {
      const took: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const sending = beginSending(round);
        await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
        const began = performance.now();
        const code = await program.stop();
        took.push(Math.round(performance.now() - began));
        expect(code).toBe(0);
        expect(processesOn(program.dataDir)).toEqual([]);
        await sending();
        program = await program.restart();
      }
      const impatientAt = Date.now();
      const impatient = beginSending(ROUNDS);
      await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
      process.kill(program.pid, 'SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 100));
      const began = performance.now();
      await program.stop();
      const atOnce = Math.round(performance.now() - began);
      await impatient();
      program = await program.restart();
      await until(async () => distinct() >= accepted.size, { withinMs: 60_000, everyMs: 500, what: 'every mail' });
      // The outcome of the last mail is recorded after its arrival.
      await new Promise((resolve) => setTimeout(resolve, DOT_MS + 1_000));
      const { lost, phantoms, duplicates } = await reconcile(program, { sent, accepted }, sink.arrivals());
      console.log(
        `${ROUNDS} stops: ${took.join(', ')} ms, second signal ${atOnce} ms; ${sent.size} asked, ${accepted.size} accepted, ` +
          `${sink.arrivals().length} arrived, lost ${lost.length}, repeated ${duplicates.length}`,
      );
      expect({ lost, phantoms }).toEqual({ lost: [], phantoms: [] });
      expect(Math.max(...took)).toBeLessThan(STOP_MS);
      expect(atOnce).toBeLessThan(1_500);
      // Mail without a reply at the second signal is sent again.
      expect(duplicates.filter(({ at }) => at < impatientAt)).toEqual([]);
    },
    60_000 + 20_000 * ROUNDS,
  );

  const distinct = () => new Set(sink.arrivals().map(({ subject }) => subject)).size;

  /** Requests at a steady rate and sessions in the middle of their messages; the function waits for the last answer. */
  function beginSending(round: number): () => Promise<void> {
    let over = false;
    const answers: Promise<void>[] = [];
    const requests = (async () => {
      const began = performance.now();
      for (let i = 0; !over; i++) {
        answers.push(post(`http-r${round}-${i}`, `a@slow${i % DOMAINS}.test`));
        const wait = began + ((i + 1) * 1_000) / PER_SECOND - performance.now();
        if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      }
    })();
    const sessions = fixture.attack<Told[]>('mails', { count: SESSIONS, tag: `smtp-r${round}`, to: 'a@slow#.test' });
    return async () => {
      over = true;
      await requests;
      await Promise.all(answers);
      for (const { subject, to, reply } of await sessions) {
        sent.set(subject, to);
        const id = /^250 2\.0\.0 queued as (em_\w+)/.exec(reply)?.[1];
        if (id) accepted.set(subject, id);
      }
    };
  }

  async function post(subject: string, to: string): Promise<void> {
    sent.set(subject, to);
    const response = await fetch(`${program.url}/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(mail({ subject, to, html: undefined })),
    }).catch(() => null);
    if (response?.status === 201) accepted.set(subject, ((await response.json()) as { id: string }).id);
  }
});
