import { beforeAll, expect, it } from 'vitest';
import type { LocalDns } from '../../support/dns/local-dns.js';
import type { Sender } from '../../support/services/sender.js';
import { until } from '../../support/timing/until.js';

const LINK = 'https://shop.example/order?a=1&b=2';
const HTML = `<p><a href="mailto:x@y.example">m</a> <a href="${LINK.replace('&', '&amp;')}">order</a></p>`;

type Caller = (method: string, path: string, body?: unknown) => Promise<Response>;
interface Shown {
  status: string;
  last_event: string;
  recipients: { address: string; status: string; attempts: number; smtp: { code: number; enhanced: string } | null }[];
}
interface Told {
  type: string;
  data: Record<string, unknown>;
}

const SENT = ['email.queued', 'email.sent'];
/** Of each simulated address: name, status, last event, types of its events, reply. */
const TABLE: [name: string, status: string, lastEvent: string, types: string[], reply: object | null][] = [
  ['delivered', 'delivered', 'delivered', [...SENT, 'email.delivered'], { code: 250 }],
  ['ooto', 'delivered', 'delivered', [...SENT, 'email.delivered'], { code: 250 }],
  ['bounced', 'bounced', 'bounced', [...SENT, 'email.bounced'], { code: 550, enhanced: '5.1.1' }],
  ['softbounced', 'bounced', 'bounced', [...SENT, 'email.bounced'], { code: 552, enhanced: '5.2.2' }],
  ['deferred', 'deferred', 'delivery_delayed', [...SENT, 'email.failed'], { code: 451 }],
  ['failed', 'failed', 'failed', [...SENT, 'email.failed'], { code: 451 }],
  ['complained', 'complained', 'complained', [...SENT, 'email.delivered', 'email.complained'], { code: 250 }],
  ['suppressed', 'suppressed', 'suppressed', ['email.queued', 'email.suppressed'], null],
  ['opened', 'delivered', 'opened', [...SENT, 'email.delivered', 'email.opened'], { code: 250 }],
  ['clicked', 'delivered', 'clicked', [...SENT, 'email.delivered', 'email.clicked'], { code: 250 }],
];

/** What the service is in whose mode the outcomes are simulated. */
export interface SimulatorService {
  sender: Sender;
  /** Answers for the domains of all recipients. */
  dns: LocalDns;
  publicUrl: string;
}

/** Domains of the recipients below. */
export const RECIPIENT_ZONES = ['sim.postloft.test', 'corp.example', 'resend.dev', 'simulator.amazonses.com'];

/** From outside, the same for every delivery mode; the DNS server answers nothing, so every question would be seen. */
export function simulatedOutcomesSuite(open: () => Promise<SimulatorService>): void {
  let service: SimulatorService;
  let live: Caller;
  let test: Caller;

  beforeAll(async () => {
    service = await open();
    const { sender } = service;
    live = (method, path, body) => sender.call(method, path, body);
    const made = await live('POST', '/api-keys', { name: 'Tests', mode: 'test' });
    expect(made.status).toBe(201);
    const { token } = (await made.json()) as { token: string };
    expect(token).toMatch(/^pl_test_/);
    test = (method, path, body) => sender.call(method, path, body, { authorization: `Bearer ${token}` });
  });

  async function send(caller: Caller, over: Record<string, unknown>): Promise<string> {
    const answer = await caller('POST', '/emails', service.sender.mail({ html: HTML, ...over }));
    expect(answer.status).toBe(201);
    return ((await answer.json()) as { id: string }).id;
  }
  const json = async <T>(path: string): Promise<T> => (await (await live('GET', path)).json()) as T;
  const becomes = (id: string, status: string, lastEvent: string) =>
    until(
      async () => {
        const shown = await json<Shown>(`/emails/${id}`);
        return shown.status === status && shown.last_event === lastEvent ? shown : null;
      },
      { what: `${status}, ${lastEvent} of ${id}` },
    );
  const told = (id: string, count: number) =>
    until(
      async () => {
        const { data } = await json<{ data: Told[] }>(`/events?email_id=${id}&limit=100`);
        return data.length >= count ? data : null;
      },
      { what: `${count} events of ${id}` },
    );
  const captured = async (id: string) =>
    (await json<{ data: { rcpt_to: string[] }[] }>(`/captured?email_id=${id}`)).data;

  async function follows(id: string, row: (typeof TABLE)[number], isTest: boolean): Promise<Told[]> {
    const [name, status, lastEvent, types, reply] = row;
    const shown = await becomes(id, status, lastEvent);
    expect([name, shown.recipients[0]]).toMatchObject([name, { status, attempts: reply === null ? 0 : 1 }]);
    if (reply !== null) expect(shown.recipients[0].smtp).toMatchObject(reply);
    const events = await told(id, types.length);
    expect([name, ...events.map(({ type }) => type)]).toEqual([name, ...types]);
    for (const { data } of events) expect(data['mode']).toBe(isTest ? 'test' : undefined);
    expect(await captured(id)).toHaveLength(reply === null ? 0 : 1);
    return events;
  }

  it('follow the table for a test key, by address', async () => {
    const ids = await Promise.all(TABLE.map(([name]) => send(test, { to: `${name}+a@sim.postloft.test` })));
    for (const [i, row] of TABLE.entries()) await follows(ids[i], row, true);
  });

  it('follow the table for a live key, by address, and add no suppression', async () => {
    const ids = await Promise.all(TABLE.map(([name]) => send(live, { to: `${name}@sim.postloft.test` })));
    for (const [i, row] of TABLE.entries()) {
      const last = (await follows(ids[i], row, false)).at(-1)?.data;
      if (row[0] === 'clicked') expect(last).toMatchObject({ click_url: LINK });
      if (row[0] === 'failed') expect(last).toMatchObject({ failure_type: 'final', next_attempt_at: null });
      if (row[0] === 'deferred') expect(last).toMatchObject({ failure_type: 'temporary' });
    }
    // A suppressed address would be refused by the API.
    for (const name of ['bounced', 'complained']) await send(live, { to: `${name}@sim.postloft.test` });
  });

  it('follow sandbox_result, and without it any address of a test mail takes it', async () => {
    const asked = { to: 'ann@corp.example', sandbox: true };
    const ids = await Promise.all(TABLE.map(([name]) => send(live, { ...asked, sandbox_result: name })));
    for (const [i, row] of TABLE.entries()) await follows(ids[i], row, true);
    await follows(await send(live, asked), TABLE[0], true);
    await follows(await send(test, { to: 'ann@corp.example' }), TABLE[0], true);
    expect((await live('POST', '/emails', service.sender.mail({ ...asked, sandbox_result: 'exploded' }))).status).toBe(
      400,
    );
  });

  it('are decided for each recipient, and other services’ names are known', async () => {
    const to = ['complaint@simulator.amazonses.com', 'bounced+x@resend.dev', 'success@simulator.amazonses.com'];
    const id = await send(live, { to });
    const wanted = ['bounced', 'complained', 'delivered'];
    const statuses = async () => (await json<Shown>(`/emails/${id}`)).recipients.map(({ status }) => status).sort();
    await until(async () => String(await statuses()) === String(wanted), { what: String(wanted) });
  });

  it('come late where that is asked for', async () => {
    const id = await send(live, { to: 'slow+2@sim.postloft.test' });
    await becomes(id, 'delivered', 'delivered');
    const shown = await json<{ created_at: string; delivered_at: string }>(`/emails/${id}`);
    expect(Date.parse(shown.delivered_at) - Date.parse(shown.created_at)).toBeGreaterThanOrEqual(2_000);
  });

  it('click on the service itself where a mail has no link', async () => {
    const id = await send(test, { to: 'clicked@sim.postloft.test', html: '<p>no link</p>' });
    await becomes(id, 'delivered', 'clicked');
    expect((await told(id, 4)).at(-1)?.data).toMatchObject({
      click_url: service.publicUrl,
    });
  });

  it('are left out of statistics for test mail and asked nothing of DNS', async () => {
    interface Stats {
      totals: Record<string, number>;
      approximate: string[];
      data: { period: string; tags: object; sent: number }[];
    }
    const question =
      '/stats?metrics=accepted,sent,bounced,complained,unique_opened&dimensions=period&group_by=tag:run&percentiles=p50';
    // The live mail above: one for each line of the table, two again, one to three others, one slow.
    const counts = { accepted: TABLE.length + 6, sent: TABLE.length + 5, bounced: 4, complained: 3, unique_opened: 1 };
    const stats = await until(
      async () => {
        const answer = await json<Stats>(question);
        return Object.entries(counts).every(([name, count]) => answer.totals[name] >= count) ? answer : null;
      },
      { what: 'statistics' },
    );
    expect(stats.totals).toMatchObject(counts);
    expect(stats.approximate).toEqual(['unique_opened', 'latency_ms']);
    expect(stats.data).toMatchObject([{ tags: { run: null }, sent: counts.sent }]);
    // At its start a service asks for the root, to learn whether the resolver checks signatures.
    expect(service.dns.questions.filter(({ name }) => name !== '.')).toEqual([]);
  });
}
