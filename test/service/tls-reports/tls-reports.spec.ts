import { gunzipSync } from 'node:zlib';
import { Accounts } from '#libs/accounts';
import { Database } from '#libs/persistence';
import type { TlsResult } from '#libs/mta';
import { TlsReporter, TlsResults } from '#libs/tls-reports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';
import { LocalDns } from '../../support/dns/local-dns.js';
import { readByPython } from '../../support/judges/python.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const DAY_MS = 24 * 3_600_000;
const yesterday = new Date(Date.now() - DAY_MS);
const day = yesterday.toISOString().slice(0, 10);

let dns: LocalDns;
let receiver: WebhookReceiver;
let gateway: GatewayApp;
let reporter: TlsReporter;
let database: Database;

const session = (policyDomain: string, over: Partial<TlsResult> = {}): TlsResult => ({
  policyDomain,
  policyType: 'no-policy-found',
  policyStrings: [],
  mxPatterns: [],
  mx: `mx.${policyDomain}`,
  ip: '192.0.2.1',
  sourceIp: '198.51.100.1',
  success: true,
  resultType: null,
  failureReason: null,
  ...over,
});
const refused = { success: false, resultType: 'starttls-not-supported' } as const;

beforeAll(async () => {
  dns = await LocalDns.start();
  receiver = await WebhookReceiver.start();
  gateway = await startGatewayApp({
    DNS_SERVERS: dns.address,
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    SERVICE_DOMAIN: 'post.example',
  });
  reporter = gateway.app.get(TlsReporter);
  database = gateway.app.get(Database);
  if ((await gateway.app.get(Accounts).first()) === null)
    await gateway.app.get(Accounts).create({ name: 'Operator', plan: 'unlimited' });
});
afterAll(async () => {
  await gateway.stop();
  await receiver.close();
  await dns.close();
});

async function count(...results: TlsResult[]): Promise<void> {
  const counts = new TlsResults(database);
  for (const result of results) counts.add(result, yesterday);
  await counts.flush();
}
/** Each domain has an hour of its own after midnight; as if it were past all of them. */
const claimAll = async () => {
  await database.query('UPDATE tls_results SET day = day - 1 WHERE day = $1', [day]);
  while ((await reporter.round()) > 0);
};
const before = new Date(yesterday.getTime() - DAY_MS).toISOString().slice(0, 10);
const stateOf = async (domain: string) =>
  (
    await database.query<{ state: string; attempts: number }>(
      'SELECT state, attempts FROM tls_reports WHERE policy_domain = $1',
      [domain],
    )
  ).rows;

describe('results of TLS sessions', () => {
  it('add up over processes and flushes', async () => {
    await count(session('sum.example'), session('sum.example'), session('sum.example', refused));
    await Promise.all([count(session('sum.example')), count(session('sum.example', refused))]);
    expect((await reporter.preview('sum.example', day))?.policies[0].summary).toEqual({
      'total-successful-session-count': 3,
      'total-failure-session-count': 2,
    });
  });
});

describe('the reports of a day', () => {
  it('go by https and by signed mail to who asked, once, however many processes look', async () => {
    dns.set('_smtp._tls.web.example', { TXT: [`v=TLSRPTv1; rua=${receiver.url('/tls', '127.0.0.1')}`] });
    dns.set('_smtp._tls.mail.example', { TXT: ['v=TLSRPTv1; rua=mailto:tls-reports@mail.example'] });
    await count(
      session('web.example'),
      session('web.example', refused),
      session('mail.example'),
      session('silent.example'),
    );
    await database.query('UPDATE tls_results SET day = day - 1 WHERE day = $1', [day]);
    await Promise.all([reporter.round(), reporter.round(), reporter.round()]);

    expect(await stateOf('silent.example')).toEqual([{ state: 'not_requested', attempts: 1 }]);
    expect(await stateOf('web.example')).toEqual([{ state: 'sent', attempts: 1 }]);
    const calls = receiver.callsTo('/tls');
    expect(calls).toHaveLength(1);
    expect(calls[0].headers['content-type']).toBe('application/tlsrpt+gzip');
    const report = JSON.parse(gunzipSync(calls[0].bytes).toString()) as Record<string, unknown>;
    expect(report).toMatchObject({ 'organization-name': 'post.example', 'contact-info': 'postmaster@post.example' });

    expect(await stateOf('mail.example')).toEqual([{ state: 'sent', attempts: 1 }]);
    const { rows } = await database.query<{ body: Buffer; source: string; sender: string }>(
      `SELECT c.body, e.source, e.sender FROM emails e JOIN email_contents c ON c.email_id = e.id
        WHERE 'tls-reports@mail.example' = ANY(e.header_to)`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ source: 'service', sender: 'postmaster@post.example' });
    const [{ headers, files }] = readByPython([rows[0].body]);
    const begin = Date.parse(`${before}T00:00:00Z`) / 1000;
    expect(files).toEqual([
      {
        filename: `post.example!mail.example!${begin}!${begin + 86_399}.json.gz`,
        type: 'application/tlsrpt+gzip',
        contentId: null,
      },
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'TLS-Report-Domain': 'mail.example',
      'TLS-Report-Submitter': 'post.example',
      Subject: `Report Domain: mail.example Submitter: post.example Report-ID: <${before}_mail.example@post.example>`,
      'Auto-Submitted': 'auto-generated',
    });
  });

  it('goes once to the address that reads, where another one does not', async () => {
    const good = receiver.url('/good', '127.0.0.1');
    dns.set('_smtp._tls.behind.example', { TXT: [`v=TLSRPTv1; rua=mailto:tls%zz@behind.example,${good}`] });
    dns.set('_smtp._tls.first.example', { TXT: [`v=TLSRPTv1; rua=${good},mailto:tls%zz@first.example`] });
    await count(session('behind.example'), session('first.example'));
    await claimAll();
    expect(await stateOf('behind.example')).toEqual([{ state: 'sent', attempts: 1 }]);
    expect(await stateOf('first.example')).toEqual([{ state: 'sent', attempts: 1 }]);
    expect(receiver.callsTo('/good')).toHaveLength(2);
  });

  it('is tried again an hour later where nobody took it', async () => {
    receiver.script('/down', { status: 503 });
    dns.set('_smtp._tls.down.example', { TXT: [`v=TLSRPTv1; rua=${receiver.url('/down', '127.0.0.1')}`] });
    await count(session('down.example'));
    await claimAll();
    expect(await stateOf('down.example')).toEqual([{ state: 'failed', attempts: 1 }]);
    await claimAll();
    expect(receiver.callsTo('/down')).toHaveLength(1);
    await database.query("UPDATE tls_reports SET attempted_at = now() - interval '61 minutes' WHERE day = $1", [
      before,
    ]);
    receiver.script('/down', { status: 201 });
    await claimAll();
    expect(await stateOf('down.example')).toEqual([{ state: 'sent', attempts: 2 }]);
  });
});
