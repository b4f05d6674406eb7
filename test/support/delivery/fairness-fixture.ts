import { setTimeout as sleep } from 'node:timers/promises';
import { deafHosts } from '../mail-servers/deaf-hosts.js';
import type { ScriptedMx } from '../mail-servers/scripted-mx.js';
import { MailNetwork } from '../services/mail-network.js';
import { METRICS_TOKEN } from '../services/profiles.js';
import { until } from '../timing/until.js';

/** How a server stalls: its kernel answers no SYN; it accepts and never speaks; it takes a mail and says nothing. */
export type Stall = 'no SYN-ACK' | 'no banner' | 'silent after the dot';

export interface Beside {
  /** To the healthy domain, and as many in all to the stalled ones; taking turns. */
  mails: number;
  perSecond: number;
}

/** Milliseconds from the answer to a send until the mail stood in the sink. */
export interface Latency {
  p50: number;
  p95: number;
  max: number;
  arrived: number;
}

export const CAP = 20;
/** Mails in a request: what is measured is delivery, and the machine has to carry the clients too. */
const GROUP = 10;

/** Stalled domains, and how many servers they have between them; as many as domains unless told. */
export interface Stalled {
  domains: number;
  hosts?: number;
}

/** One healthy domain and some stalled ones, in front of a service that delivers to both. */
export class FairnessFixture {
  private readonly acceptedAt = new Map<string, number>();
  private sent = 0;

  private constructor(
    readonly network: MailNetwork,
    private readonly zone: string,
    private readonly sink: ScriptedMx,
    private readonly stalled: ScriptedMx[],
    private readonly deaf: { close(): Promise<void> } | null,
    private readonly domains: number,
  ) {}

  /** On the shared service `inbound`. */
  static async open(stalled: Stalled, stall: Stall, zone: string): Promise<FairnessFixture> {
    return FairnessFixture.on(await MailNetwork.open('inbound', [zone]), { zone, stalled, stall });
  }

  /** On a service of its own. */
  static async start(stalled: Stalled, stall: Stall, env: Record<string, string> = {}): Promise<FairnessFixture> {
    const network = await MailNetwork.start({ CONNECTIONS_PER_HOST: String(CAP), ...env });
    return FairnessFixture.on(network, { zone: 'test', stalled, stall });
  }

  private static async on(
    network: MailNetwork,
    { zone, stalled: { domains, hosts = domains }, stall }: { zone: string; stalled: Stalled; stall: Stall },
  ): Promise<FairnessFixture> {
    const sink = await network.mailServer(`healthy.${zone}`);
    const addresses = Array.from({ length: hosts }, () => network.nextAddress());
    for (let i = 0; i < domains; i += 1) network.route(`stalled${i}.${zone}`, addresses[i % hosts]);
    const isDeaf = stall === 'no SYN-ACK';
    const on = stall === 'no banner' ? ({ banner: 'silence' } as const) : ({ dot: 'silence' } as const);
    const stalled = isDeaf ? [] : await Promise.all(addresses.map((at) => network.mailServerAt(at, { on })));
    const deaf = isDeaf ? await deafHosts(addresses, network.mxPort) : null;
    return new FairnessFixture(network, zone, sink, stalled, deaf, domains);
  }

  private get healthy(): string {
    return `healthy.${this.zone}`;
  }

  /** Most connections that one stalled server had open together. */
  get mostSockets(): number {
    return Math.max(0, ...this.stalled.map((mx) => mx.mostOpen));
  }

  get heldMails(): number {
    return this.stalled.reduce((sum, mx) => sum + mx.mails.length, 0);
  }

  /** Sends to the healthy domain alone. */
  async alone({ mails, perSecond }: Beside): Promise<Latency> {
    return this.measure(await this.sendAll(mails, perSecond, () => this.healthy));
  }

  /** Sends to the healthy domain and the stalled ones in turn. */
  async beside({ mails, perSecond }: Beside): Promise<Latency> {
    const domainOf = (i: number) =>
      i % 2 === 0 ? this.healthy : `stalled${((i - 1) / 2) % this.domains}.${this.zone}`;
    return this.measure(await this.sendAll(2 * mails, perSecond, domainOf));
  }

  /** Sends to the stalled domains alone, to one after the other. */
  async toStalled({ mails, perSecond }: Beside): Promise<void> {
    await this.sendAll(mails, perSecond, (i) => `stalled${Math.floor((i * this.domains) / mails)}.${this.zone}`);
  }

  /** A number of `/metrics`; NaN when it is not there. */
  async metric(name: string): Promise<number> {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${this.network.sender.url}/metrics`, { headers })).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  }

  async close(): Promise<void> {
    await this.deaf?.close();
    await this.network.close();
  }

  /** At a steady rate, whether answers come or not, a few in each request. Returns the subjects of the healthy ones. */
  private async sendAll(count: number, perSecond: number, domainOf: (i: number) => string): Promise<string[]> {
    const began = Date.now();
    const answers: Promise<void>[] = [];
    const subjects: string[] = [];
    for (let first = 0; first < count; first += GROUP) {
      await sleep(Math.max(0, began + (first * 1_000) / perSecond - Date.now()));
      const group = Array.from({ length: Math.min(GROUP, count - first) }, (_, i) => ({
        subject: `f${this.sent++}`,
        domain: domainOf(first + i),
      }));
      subjects.push(...group.filter(({ domain }) => domain === this.healthy).map(({ subject }) => subject));
      answers.push(this.sendGroup(group));
    }
    await Promise.all(answers);
    return subjects;
  }

  private async sendGroup(group: { subject: string; domain: string }[]): Promise<void> {
    const { sender } = this.network;
    const mails = group.map(({ subject, domain }) => sender.mail({ subject, to: `${subject}@${domain}` }));
    const response = await sender.call('POST', '/emails/batch', mails);
    if (response.status !== 201) throw new Error(`a batch was answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    for (const { subject } of group) this.acceptedAt.set(subject, Date.now());
  }

  private async measure(subjects: readonly string[]): Promise<Latency> {
    const arrivals = () =>
      new Map(this.sink.accepted.map(({ content, at }) => [/^Subject: (.*)\r$/m.exec(content.toString())?.[1], at]));
    await until(
      async () => {
        const there = arrivals();
        return subjects.every((subject) => there.has(subject));
      },
      { withinMs: 60_000, everyMs: 250, what: 'every healthy mail' },
    );
    const there = arrivals();
    const waits = subjects
      .map((subject) => Math.max(0, (there.get(subject) ?? 0) - (this.acceptedAt.get(subject) ?? 0)))
      .sort((a, b) => a - b);
    const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))];
    return { p50: at(0.5), p95: at(0.95), max: at(1), arrived: waits.length };
  }
}
