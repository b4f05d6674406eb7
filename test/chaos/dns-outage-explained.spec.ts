import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalDns } from '../support/dns/local-dns.js';
import { freePorts } from '../support/services/ports.js';
import { startStandalone, type RunningProgram } from '../support/services/program.js';
import { MailNetwork, mxSettings } from '../support/services/mail-network.js';
import { until } from '../support/timing/until.js';

interface Explained {
  recipients: { because: string; held: { kind: string } | null }[];
}

/** Mails that are on their way when the name servers stop answering, and mails that are sent before and after that. */
const UNDER_WAY = 20;
const DURING = 40;
const AFTER = 10;

/** No name server answers for a while: mail is accepted as ever, waits and costs no attempt. */
describe('a service without name servers', () => {
  let program: RunningProgram;
  let network: MailNetwork;

  beforeAll(async () => {
    const dns = await LocalDns.start();
    const [mxPort] = await freePorts(1);
    program = await startStandalone({ ...mxSettings(dns, mxPort), DELIVERY_RETRY_SCHEDULE: '1s' });
    network = MailNetwork.around(program, dns, mxPort);
  });
  afterAll(async () => {
    await program?.stop();
    await network?.close();
    program?.clean();
  });

  it('accepts mail, counts no attempt, says why it waits, and delivers all of it afterwards', async () => {
    const { dns, sender } = network;
    const address = network.nextAddress();
    const mx = await network.mailServerAt(address);
    const domains = Array.from({ length: UNDER_WAY + DURING + AFTER }, (_, i) => `away-${i}.test`);
    for (const domain of domains) network.route(domain, address);
    const ids: string[] = [];
    const send = async (count: number): Promise<void> => {
      const some = domains.slice(ids.length, ids.length + count);
      const answers = await Promise.all(
        some.map((domain) => sender.call('POST', '/emails', sender.mail({ to: `one@${domain}` }))),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      for (const answer of answers) ids.push(((await answer.json()) as { id: string }).id);
    };
    const isAway = async (): Promise<boolean> => {
      const metrics = await (await fetch(`${sender.url}/metrics`)).text();
      return /^postloft_dns_unavailable 1$/m.test(metrics);
    };

    const underWay = send(UNDER_WAY);
    dns.isAway = true;
    await underWay;
    await until(isAway, { withinMs: 30_000, what: 'the name servers to count as away' });
    await send(DURING);
    const held = await until(
      async () => {
        const shown = await sender.call('GET', `/emails/${ids[0]}/explain`);
        const [{ held: found, because }] = ((await shown.json()) as Explained).recipients;
        return found && { kind: found.kind, because };
      },
      { what: 'the reason why the mail waits' },
    );
    expect(held).toEqual({ kind: 'dns', because: `No name server answers: ${dns.address}.` });

    dns.isAway = false;
    await send(AFTER);
    const outcomeOf = async (id: string): Promise<string> => {
      const shown = await sender.call('GET', `/emails/${id}`);
      const [one] = ((await shown.json()) as { recipients: { status: string; attempts: number }[] }).recipients;
      return `${one.status} ${one.attempts}`;
    };
    await until(async () => (await Promise.all(ids.map(outcomeOf))).every((one) => one.startsWith('delivered')), {
      withinMs: 40_000,
      everyMs: 500,
      what: 'all mails to be delivered',
    });
    expect(new Set(await Promise.all(ids.map(outcomeOf)))).toEqual(new Set(['delivered 1']));
    expect(mx.accepted.flatMap(({ recipients }) => recipients).toSorted()).toEqual(
      domains.map((domain) => `one@${domain}`).toSorted(),
    );
    expect(await isAway()).toBe(false);
    const told = program.output().match(/mail waits for DNS|DNS answers again/g);
    expect(told).toEqual(['mail waits for DNS', 'DNS answers again']);
  });
});
