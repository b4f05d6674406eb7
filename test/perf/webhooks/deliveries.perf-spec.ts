import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processorTime } from '../../support/live/live-load.js';
import { mail } from '../../support/samples/mail.js';
import { startStandalone, type RunningProgram } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const MESSAGES = 1_000;
const EVENTS = 3 * MESSAGES;
/** Of the service, without that of PostgreSQL: claim, signature, request and record. */
const CPU_MICROSECONDS = 1_000;

/** In processor time of the service, so that the receiver beside it does not count. */
describe('calls of a webhook', () => {
  let program: RunningProgram;
  let hooks: WebhookReceiver;
  let id: string;
  beforeAll(async () => {
    [program, hooks] = await Promise.all([startStandalone(), WebhookReceiver.start()]);
    const asked = { url: hooks.url('/hook'), events: ['email.queued', 'email.sent', 'email.delivered'] };
    ({ id } = (await (await program.call('POST', '/webhooks', asked)).json()) as { id: string });
    for (let sent = 0; sent < MESSAGES; sent += 100) {
      const batch = Array.from({ length: 100 }, () => mail({ to: 'ada@example.com' }));
      expect((await program.call('POST', '/emails/batch', batch)).status).toBe(201);
    }
    await received(EVENTS);
  });
  afterAll(async () => {
    await program?.stop();
    await hooks?.close();
    program?.clean();
  });

  const received = (count: number) =>
    until(() => Promise.resolve(hooks.calls.length >= count), { withinMs: 120_000, what: `${count} calls` });
  const showing = async (path: string) => (await (await program.call('GET', path)).json()) as Record<string, unknown>;

  it('take less than a millisecond each when a time range is sent again', async () => {
    const [cpu, begun] = [processorTime(program.pid), performance.now()];
    const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() };
    const asked = await program.call('POST', `/webhooks/${id}/replay`, range);
    expect(asked.status).toBe(202);
    const replay = (await asked.json()) as { id: string };
    await received(2 * EVENTS);
    const perCall = (processorTime(program.pid) - cpu) / EVENTS;
    const perSecond = (EVENTS * 1_000) / (performance.now() - begun);
    console.log(
      `${perCall.toFixed(0)} µs per call; ${perSecond.toFixed(0)} calls/s with the receiver on the same machine`,
    );
    await until(async () => (await showing(`/webhooks/${id}/replays/${replay.id}`))['status'] === 'completed');
    expect(hooks.calls).toHaveLength(2 * EVENTS);
    expect(await showing(`/webhooks/${id}`)).toMatchObject({ delivery: { pending: 0 } });
    expect(perCall).toBeLessThan(CPU_MICROSECONDS);
  });
});
