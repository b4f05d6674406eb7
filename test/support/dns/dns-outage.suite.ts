import { expect, it } from 'vitest';
import type { MailNetwork } from '../services/mail-network.js';
import { until } from '../until.js';

interface Explained {
  recipients: { because: string; held: { kind: string } | null }[];
}

/** Mails that are on their way when the name servers stop answering, and mails that are sent before and after that. */
const UNDER_WAY = 20;
const DURING = 40;
const AFTER = 10;

/** No name server answers for a while, on a service of its own: mail is accepted as ever, waits and costs no attempt. */
export function dnsOutageSuite(open: () => { network: MailNetwork; output: () => string }): void {
  it('while no name server answers mail is accepted and no attempt is counted; all of it goes out afterwards', async () => {
    const { network, output } = open();
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
    const told = output().match(/mail waits for DNS|DNS answers again/g);
    expect(told).toEqual(['mail waits for DNS', 'DNS answers again']);
  });
}
