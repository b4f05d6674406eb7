import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mail } from '../support/mail.js';
import { processesOn, startStandalone, type RunningProgram } from '../support/program.js';
import { ScriptedMx } from '../support/scripted-mx.js';
import { until } from '../support/until.js';

/** Two kills in `npm test`; POSTLOFT_KILLS=10 for the full count. */
const KILLS = Number(process.env['POSTLOFT_KILLS'] ?? 2);
const CONCURRENCY = 20;
const SENDERS = 8;
/** At least, before the kill. */
const MAILS_A_ROUND = 51;

describe('kill -9 of the whole process group under load', () => {
  let sink: ScriptedMx;
  let program: RunningProgram;

  beforeAll(async () => {
    sink = await ScriptedMx.start();
    program = await startStandalone({
      DELIVERY_MODE: 'smarthost',
      SMARTHOST_URL: `smtp://127.0.0.1:${sink.port}`,
      DELIVERY_CONCURRENCY: String(CONCURRENCY),
      DELIVERY_RETRY_SCHEDULE: '1s',
    });
  });
  afterAll(async () => {
    await program?.kill();
    await sink?.close();
    program?.clean();
  });

  it(
    'loses nothing that was answered 201, repeats at most what was in flight, and needs no repair',
    async () => {
      const answered = new Set<string>();
      let sent = 0;
      for (let round = 0; round < KILLS; round++) {
        const stop = { now: false };
        const senders = Array.from({ length: SENDERS }, () =>
          sendUntil({
            stop,
            program: () => program,
            subject: () => `r${round}-${sent++}`,
            answered,
          }),
        );
        const enough = answered.size + MAILS_A_ROUND;
        await new Promise((resolve) => setTimeout(resolve, 700 + Math.random() * 800));
        // On a slow machine later: a kill that finds nothing under way shows nothing.
        await until(async () => answered.size >= enough, { what: `${MAILS_A_ROUND} answers`, withinMs: 20_000 });
        await program.kill();
        stop.now = true;
        await Promise.all(senders);
        await until(async () => processesOn(program.dataDir).length === 0, {
          withinMs: 5_000,
          what: 'no process on the data directory',
        });
        program = await program.restart();
      }
      expect(answered.size).toBeGreaterThanOrEqual(MAILS_A_ROUND * KILLS);
      const subjects = () =>
        sink.accepted.map((received) => /^Subject: (.*)\r$/m.exec(received.content.toString())?.[1] ?? '');
      await until(
        async () => {
          const arrived = new Set(subjects());
          return [...answered].every((subject) => arrived.has(subject));
        },
        { withinMs: 30_000, everyMs: 250, what: 'every answered mail' },
      );
      const all = subjects();
      const duplicates = all.length - new Set(all).size;
      console.log(
        `kills ${KILLS}, asked ${sent}, answered 201: ${answered.size}, at the sink: ${new Set(all).size}, duplicates: ${duplicates}`,
      );
      expect(duplicates).toBeLessThanOrEqual(CONCURRENCY * KILLS);
    },
    60_000 + 40_000 * KILLS,
  );
});

interface Sending {
  stop: { now: boolean };
  /** The one that runs now. */
  program: () => RunningProgram;
  /** The next one; none twice. */
  subject: () => string;
  /** Grows by the subject of each mail that was answered with 201. */
  answered: Set<string>;
}

async function sendUntil(sending: Sending): Promise<void> {
  while (!sending.stop.now) {
    const subject = sending.subject();
    try {
      const response = await sending
        .program()
        .call('POST', '/emails', mail({ subject, to: `${subject}@example.com`, html: undefined }));
      if (response.status === 201) sending.answered.add(subject);
      await response.arrayBuffer();
    } catch {
      // Cut by the kill: the answer is unknown, so nothing is promised.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
