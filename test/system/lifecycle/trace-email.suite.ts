import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedMx } from '../../support/mail-servers/scripted-mx.js';
import { relayClient } from '../../support/services/relay-client.js';
import type { RunningService } from '../../support/services/program.js';
import { TraceReceiver } from '../../support/live/trace-receiver.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

interface Traced {
  service: RunningService;
  ports: { smtps: number };
}

/** One trace from a request to the reply of the MX host and the webhook call, in every topology. */
export function traceEmailSuite(start: (settings: Record<string, string>) => Promise<Traced>): void {
  let [receiver, mx, webhooks]: [TraceReceiver, ScriptedMx, WebhookReceiver] = [] as never;
  let traced: Traced;

  beforeAll(async () => {
    [receiver, mx, webhooks] = await Promise.all([TraceReceiver.start(), ScriptedMx.start(), WebhookReceiver.start()]);
    traced = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
      DELIVERY_MODE: 'smarthost',
      SMARTHOST_URL: `smtp://127.0.0.1:${mx.port}`,
      ALLOW_PRIVATE_MX: 'true',
      ALLOW_PRIVATE_WEBHOOKS: 'true',
    });
    await traced.service.json('POST', '/webhooks', { url: webhooks.url('/hook'), events: ['email.delivered'] });
  });
  afterAll(async () => {
    await Promise.all([receiver?.close(), mx?.close(), webhooks?.close()]);
  });

  it('continues the trace of the client through accept, commit, delivery, the reply and the webhook call', async () => {
    const { service } = traced;
    const mail = { from: 'hello@sandbox.postloft.test', to: 'you@example.com', subject: 'Traced', text: 'It works.' };
    const answer = await service.call('POST', '/emails', mail, { traceparent: `00-${TRACE}-${PARENT}-01` });
    const { id } = (await answer.json()) as { id: string };
    const named = (name: string) => receiver.of(TRACE).find((span) => span.name === name);
    await until(async () => named('webhook'), { what: 'the span of the webhook call' });
    await until(async () => named('settle'), { what: 'the span of the settlement' });
    const request = named('POST /emails');
    expect(request).toMatchObject({ parent: PARENT, attributes: { 'http.response.status_code': 201 } });
    const accept = named('accept');
    expect(accept).toMatchObject({ parent: request?.id, attributes: { 'postloft.email.id': id } });
    expect(named('commit')).toMatchObject({ parent: accept?.id });
    const deliver = named('deliver');
    expect(deliver).toMatchObject({ parent: accept?.id, attributes: { 'postloft.email.id': id } });
    for (const name of ['route', 'attempt', 'settle']) expect(named(name), name).toMatchObject({ parent: deliver?.id });
    expect(named('attempt')).toMatchObject({ attributes: { 'smtp.reply.code': 250, 'postloft.outcome': 'delivered' } });
    expect(named('webhook')).toMatchObject({ parent: accept?.id, attributes: { 'http.response.status_code': 200 } });
    expect(receiver.headers).toMatchObject({ authorization: 'Bearer secret' });
  });

  it('begins a trace for a transaction over SMTP, and marks an attempt that bounces', async () => {
    const { service, ports } = traced;
    mx.script.on = { rcpt: '550 5.1.1 No such user' };
    const transport = relayClient({
      ports: { ...ports } as never,
      from: 'hello@sandbox.postloft.test',
      key: service.key,
    });
    await transport.sendMail({
      from: 'hello@sandbox.postloft.test',
      to: 'nobody@example.com',
      subject: 'S',
      text: 'T',
    });
    const data = () => receiver.spans.find(({ name }) => name === 'SMTP DATA');
    await until(async () => data(), { what: 'the span of the transaction' });
    const { traceId = '' } = data() ?? {};
    const attempt = () => receiver.of(traceId).find(({ name }) => name === 'attempt');
    await until(async () => attempt(), { what: 'the span of the attempt' });
    expect(attempt()).toMatchObject({
      failed: true,
      attributes: { 'smtp.reply.code': 550, 'smtp.reply.enhanced': '5.1.1' },
    });
    expect(data()).toMatchObject({ parent: null });
  });

  it('records neither probes nor paths', () => {
    expect(receiver.spans.map(({ name }) => name)).not.toContain('GET /readyz');
    expect(JSON.stringify(receiver.spans)).not.toContain('/hook');
  });
}
