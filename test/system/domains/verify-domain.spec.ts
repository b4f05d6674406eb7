import { authenticate } from 'mailauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publish, type LocalDns } from '../../support/dns/local-dns.js';
import { openAccount, openZones, type ServiceAccount } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';
import { capturedMessage } from '../../support/services/captured.js';

interface Domain {
  id: string;
  status: string;
  warning_since: string | null;
  records: {
    record: string;
    type: 'TXT' | 'CNAME';
    name: string;
    value: string;
    required: boolean;
    status: string;
    error: string | null;
  }[];
}

const ZONE = 'verify-domain.example';
const NAME = `mail.${ZONE}`;

/** The life of a domain: add, publish, wait, send, lose a record, remove. */
describe('a domain of one’s own', () => {
  let dns: LocalDns;
  let program: ServiceAccount;
  let domain: Domain;

  beforeAll(async () => {
    dns = await openZones([ZONE], { [NAME]: { TXT: ['v=spf1 ip4:192.0.2.7 -all'] } });
    program = await openAccount('rest');
  });
  afterAll(() => dns?.close());

  const read = async () => (await (await program.call('GET', `/domains/${domain.id}`)).json()) as Domain;
  const see = (what: (seen: Domain) => boolean) =>
    until(
      async () => {
        domain = await read();
        return what(domain);
      },
      { what: 'the domain to look as expected' },
    );
  const send = async () => {
    const response = await program.call('POST', '/emails', program.mail({ from: `Shop <shop@${NAME}>` }));
    return { status: response.status, body: (await response.json()) as { id: string; name?: string } };
  };
  const sent = async () => {
    const { status, body } = await send();
    expect(status).toBe(201);
    return (await capturedMessage(program, body.id)).toString();
  };
  const signatures = async (raw: string) => {
    const { dkim } = await authenticate(raw, {
      resolver: (name: string, type: string) => {
        const record = domain.records.find((each) => each.name === name && each.type === type);
        return Promise.resolve(record === undefined ? [] : [[record.value]]);
      },
    });
    return dkim.results.map((result) => `${result.selector} ${result.status.result}`).sort();
  };
  const selectors = () =>
    domain.records.filter(({ record }) => record === 'DKIM').map(({ name }) => name.split('.')[0]);

  it('is pending when added, and cannot send yet', async () => {
    const answer = await program.call('POST', '/domains', { name: NAME });
    expect(answer.status).toBe(201);
    domain = (await answer.json()) as Domain;
    expect(domain.status).toBe('pending');
    expect(await send()).toMatchObject({ status: 422, body: { name: 'invalid_from_address' } });
  });

  it('shows the existing SPF record with the include of the service', async () => {
    await see(({ records }) => records[0].status === 'failed');
    expect(domain.records[0].value).toBe('v=spf1 ip4:192.0.2.7 include:spf.postloft.test -all');
    expect(domain.records[0].error).toContain('include:spf.postloft.test');
  });

  it('is active soon after its records were published, and sends signed mail', async () => {
    publish(
      dns,
      domain.records.filter((record) => record.required),
    );
    await see(({ status }) => status === 'active');
    expect(domain.records.filter((record) => record.required).map((record) => record.status)).toEqual(
      Array(3).fill('verified'),
    );
    const raw = await until(sent);
    expect(await signatures(raw)).toEqual([`${selectors()[0]} pass`]);
  });

  it('signs with the second key too once that is published', async () => {
    publish(dns, domain.records);
    expect((await program.call('POST', `/domains/${domain.id}/verify`)).status).toBe(200);
    await see(({ records }) => records.every((record) => record.status === 'verified'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await signatures(await sent())).toEqual(selectors().map((selector) => `${selector} pass`));
  });

  it('shows a warning when a record is lost, and continues to send', async () => {
    const dkim = domain.records.find((record) => record.record === 'DKIM');
    dns.remove(dkim?.name ?? '');
    // A check can be requested once in ten seconds.
    await until(async () => (await program.call('POST', `/domains/${domain.id}/verify`)).status === 200, {
      everyMs: 500,
    });
    await see(({ warning_since }) => warning_since !== null);
    expect(domain.status).toBe('active');
    expect((await send()).status).toBe(201);
  });

  it('cannot send once it is removed, and its scheduled mail fails at once', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const mail = program.mail({ from: `Shop <shop@${NAME}>`, scheduled_at: inAnHour });
    const { id } = (await (await program.call('POST', '/emails', mail)).json()) as { id: string };
    expect((await program.call('DELETE', `/domains/${domain.id}`)).status).toBe(200);
    const status = async () =>
      ((await (await program.call('GET', `/emails/${id}`)).json()) as { status: string }).status;
    await until(async () => (await status()) === 'failed', { what: 'the scheduled mail to fail' });
    const events = await (await program.call('GET', `/emails/${id}/events`)).text();
    expect(events).toContain('domain_removed');
    expect((await program.call('DELETE', `/domains/${domain.id}`)).status).toBe(404);
    await until(async () => (await send()).status === 422);
  });
});
