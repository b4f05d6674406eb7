import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KilledWhileSending } from '../support/delivery/killed-while-sending.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { ScriptedMx } from '../support/mail-servers/scripted-mx.js';
import { firstSender } from '../support/services/sender.js';
import { until } from '../support/timing/until.js';

const KILLS = Number(process.env['POSTLOFT_KILLS'] ?? 10);
const CONCURRENCY = 20;

describe('kill -9 of the whole process group under load, again and again', () => {
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

  it('loses nothing that was answered 201, repeats at most what was in flight, and needs no repair', async () => {
    const killed = new KilledWhileSending(firstSender(program), 'example.com');
    for (let round = 0; round < KILLS; round++) {
      await killed.sendAndKill(program);
      program = await program.restart();
    }
    await until(async () => killed.hasArrived(sink), { withinMs: 60_000, everyMs: 250, what: 'every answered mail' });
    const duplicates = killed.duplicates(sink);
    console.log(
      `kills ${KILLS}, asked ${killed.sent}, answered 201: ${killed.answered.size}, duplicates: ${duplicates}`,
    );
    expect(duplicates).toBeLessThanOrEqual(CONCURRENCY * KILLS);
  });
});
