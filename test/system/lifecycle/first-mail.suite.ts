import { createClient } from 'graphql-ws';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { mail } from '../../support/samples/mail.js';
import type { RunningService } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver, type ReceivedCall } from '../../support/webhooks/webhook-receiver.js';
import { capturedEntries } from '../../support/services/captured.js';

interface Stats {
  accepted: number;
  sent: number;
  delivered: number;
}

/**
 * The way of the first mail, from outside: the same for every topology. Whoever starts the service stops it.
 * `also` gets the webhook call of `email.delivered`, to compare it with other ways out.
 */
export function firstMailSuite(
  start: () => Promise<RunningService>,
  also: (delivered: ReceivedCall, id: string) => Promise<void> = async () => {},
): void {
  let program: RunningService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    [program, receiver] = await Promise.all([start(), WebhookReceiver.start()]);
  });
  afterAll(() => receiver?.close());

  it('is accepted, delivered, counted, pushed to a subscription, and told to a webhook that verifies', async () => {
    const webhook = (await (
      await program.call('POST', '/webhooks', { url: receiver.url('/hook'), events: ['*'] })
    ).json()) as { secret: string };
    const [domain] = (await (await program.call('GET', '/domains')).json()) as { id: string; name: string }[];
    expect(domain.name).toBe('sandbox.postloft.test');
    const live = watchStats(program, domain.id);
    await until(async () => live.seen.length > 0, { what: 'the snapshot' });

    const response = await program.call('POST', '/emails', mail());
    expect(response.status).toBe(201);
    const { id, object } = (await response.json()) as { id: string; object: string };
    expect(object).toBe('email');
    expect(id).toMatch(/^em_[0-9a-f]{32}$/);

    const counted = async () => live.seen.some((stats) => stats.delivered === 1);
    await until(counted, { what: 'the live count' });
    expect(live.seen.at(-1)).toMatchObject({ accepted: 1, sent: 1, delivered: 1 });
    live.close();

    const shown = (await (await program.call('GET', `/emails/${id}`)).json()) as {
      status: string;
      recipients: { smtp: { text: string } }[];
      text: string;
    };
    expect(shown).toMatchObject({
      status: 'delivered',
      text: 'Thank you.',
      recipients: [{ address: 'ada@example.com', status: 'delivered' }],
    });
    expect(shown.recipients[0].smtp.text).toContain('captured, not sent');

    const delivered = await until(
      async () => receiver.callsTo('/hook').find((call) => call.body.includes('"email.delivered"')),
      {
        what: 'the webhook',
      },
    );
    const verified = new Webhook(webhook.secret).verify(delivered.body, delivered.headers as Record<string, string>);
    expect(verified).toMatchObject({
      type: 'email.delivered',
      data: { id, email_id: id, to: ['ada@example.com'], recipient: 'ada@example.com' },
    });
    expect(Object.keys(JSON.parse(delivered.body) as object).sort()).toEqual(['created_at', 'data', 'type']);
    await also(delivered, id);
  });

  it('is found in the capture inbox, byte for byte as it would have gone out', async () => {
    const { id } = (await (
      await program.call('POST', '/emails', mail({ to: 'grace@example.com', subject: 'Grüße' }))
    ).json()) as { id: string };
    const [captured] = await capturedEntries(program, id);
    expect(captured.rcpt_to).toEqual(['grace@example.com']);
    expect(captured.mail_from).toMatch(/^b\+[a-z2-7]+@bounces\.postloft\.test$/);
    const raw = await program.call('GET', `/captured/${captured.id}/raw`);
    expect(raw.headers.get('content-type')).toContain('message/rfc822');
    expect(raw.headers.get('x-delivery-mode')).toBe('capture');
    const text = await raw.text();
    expect(text.match(/^DKIM-Signature:/gm)).toHaveLength(2);
    expect(text).toMatch(/^Subject: =\?utf-8\?/im);
    expect(text).not.toMatch(/^Bcc:/im);
  });
}

/** A stock graphql-ws client, as the documentation of GraphQL over WebSocket shows it. */
function watchStats(program: RunningService, domainId: string): { seen: Stats[]; close: () => void } {
  const seen: Stats[] = [];
  const client = createClient({
    url: `${program.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${program.key}` },
  });
  const close = client.subscribe<{ domainStats: Stats }>(
    {
      query: 'subscription ($id: ID!) { domainStats(domainId: $id) { accepted sent delivered } }',
      variables: { id: domainId },
    },
    {
      next: ({ data }) => data && seen.push(data.domainStats),
      error: (error) => seen.push(error as never),
      complete: () => undefined,
    },
  );
  return {
    seen,
    close: () => {
      close();
      void client.dispose();
    },
  };
}
