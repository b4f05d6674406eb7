import { setTimeout as sleep } from 'node:timers/promises';
import { LocalDns, type DnsName } from '../dns/local-dns.js';
import { freePorts } from '../services/ports.js';
import { startStandalone } from '../services/program.js';
import { mxSettings } from '../services/mail-network.js';
import { firstSender, type Sender } from '../services/sender.js';
import { openAccount, openZones, type ServiceAccount } from '../services/service-client.js';
import { until } from '../timing/until.js';
import { deafHosts } from './deaf-hosts.js';
import { ScriptedMx, type MxScript, type ReceivedMail } from './scripted-mx.js';

export interface ShownAttempt {
  recipient: string;
  number: number;
  outcome: 'delivered' | 'bounced' | 'deferred';
  certainty: string | null;
  phase: string | null;
  smtp: { code: number | null; enhanced: string | null; text: string; mx: string; ip: string } | null;
  earlier: { phase: string; text: string; mx: string; ip: string }[];
  security: { version: string; verified: boolean } | null;
  source_ip: string | null;
  started_at: string;
  ended_at: string;
}

interface ShownMail {
  status: string;
  recipients: { address: string; status: string; attempts: number; smtp: ShownAttempt['smtp'] }[];
}

interface ShownEvent {
  type: string;
  data: { recipient: string; bounce_class?: string; bounce_type?: string; enhanced_code?: string; temporary?: boolean };
}

/** `deaf` never completes a TCP handshake; `absent` is an address that a test may use. */
export type PeerHost = MxScript | 'deaf' | 'absent';

/** A domain whose mail goes to servers of its own, in this order of preference. */
export interface Peer {
  domain: string;
  /** Their addresses. */
  hosts: string[];
}

const FINAL = ['delivered', 'bounced', 'failed'];
/** Characters of a request. */
const LARGE = 1_000_000;
/** Mails that are handed over together, and the time until the next ones. */
const AT_ONCE = 20;
const BETWEEN_MS = 200;

/** Networks of loopback addresses are fixed: the addresses of the peers are known before anything is started. */
interface PeerPlace {
  /** 127.n.0.0/16, and the next one for more than 255 peers. */
  network: number;
  /** The names of all domains and servers are in here. */
  zone: string;
}

/** A service that delivers to many bad servers at once; everything is asked from outside. */
export class PeerFixture {
  dns: LocalDns;
  sender: Sender;
  /** Of the shared service. */
  account: ServiceAccount;
  private readonly hosts: Record<string, PeerHost> = {};
  private readonly names: Record<string, DnsName> = {};
  private readonly servers = new Map<string, ScriptedMx>();
  private readonly mails: SentMail[] = [];
  private readonly endings: (() => Promise<unknown>)[] = [];
  private peers = 0;

  constructor(private readonly place: PeerPlace) {}

  /** Before `start`. */
  peer(...hosts: PeerHost[]): Peer {
    const number = (this.peers += 1);
    const domain = `p${number}.${this.place.zone}`;
    const addresses = hosts.map((_, i) => `127.${this.place.network + (number >> 8)}.${number & 255}.${i + 1}`);
    for (const [i, address] of addresses.entries()) {
      this.hosts[address] = hosts[i];
      this.names[`mx${i + 1}-${domain}`] = { A: [address] };
    }
    this.names[domain] = {
      MX: addresses.map((_, i) => ({ preference: 10 * (i + 1), exchange: `mx${i + 1}-${domain}` })),
    };
    return { domain, hosts: addresses };
  }

  /** Before `start`: what DNS says of a name. */
  zone(name: string, records: DnsName): void {
    this.names[name] = records;
  }

  /** A mail that `start` sends, a large one once the others are under way. */
  mail(peer: Peer, locals: string[] = ['one'], over: Record<string, unknown> = {}): SentMail {
    const to = locals.map((local) => `${local}@${peer.domain}`);
    const sent = new SentMail(this, peer, { to, ...over });
    this.mails.push(sent);
    return sent;
  }

  /** On the shared service `delivery`. */
  async open(): Promise<void> {
    this.sender = this.account = await openAccount('delivery');
    this.dns = await openZones([this.place.zone], this.names);
    await this.begin(this.account.mxPort);
  }

  /** On a service of its own. */
  async start(env: Record<string, string> = {}): Promise<void> {
    const [port] = await freePorts(1);
    this.dns = await LocalDns.start(this.names);
    const program = await startStandalone({ ...mxSettings(this.dns, port), ...env });
    this.sender = firstSender(program);
    this.endings.push(() => program.stop().finally(() => program.clean()));
    await this.begin(port);
  }

  private async begin(port: number): Promise<void> {
    const deaf = Object.keys(this.hosts).filter((host) => this.hosts[host] === 'deaf');
    if (deaf.length > 0) {
      const { close } = await deafHosts(deaf, port);
      this.endings.push(close);
    }
    for (const [host, script] of Object.entries(this.hosts))
      if (typeof script !== 'string') this.servers.set(host, await ScriptedMx.start({ ...script, host, port }));
    // Not all at once: on a slow machine servers in good health would then answer later than the limits of the phases.
    const small = this.mails.filter(({ isLarge }) => !isLarge);
    for (let at = 0; at < small.length; at += AT_ONCE) {
      await Promise.all(small.slice(at, at + AT_ONCE).map((sent) => sent.send()));
      await sleep(BETWEEN_MS);
    }
    for (const sent of this.mails) if (sent.isLarge) await sent.send();
  }

  async stop(): Promise<void> {
    for (const end of this.endings) await end();
    await Promise.all([...this.servers.values()].map((server) => server.close()));
    await this.dns?.close();
  }

  /** The scripted server at an address. */
  server(host: string): ScriptedMx {
    return this.servers.get(host) as ScriptedMx;
  }

  /** Mails whose final dot came, on these hosts, in order. */
  dots(...hosts: string[]): (ReceivedMail & { host: string })[] {
    const all = hosts.flatMap((host) => (this.servers.get(host)?.mails ?? []).map((mail) => ({ ...mail, host })));
    return all.sort((a, b) => a.at - b.at);
  }

  /** Connections that these hosts accepted. */
  connections(...hosts: string[]): number {
    return hosts.reduce((sum, host) => sum + this.server(host).sessions.length, 0);
  }
}

/** One mail through POST /emails, and what the API says of it. */
export class SentMail {
  id = '';
  readonly isLarge: boolean;

  constructor(
    private readonly fixture: PeerFixture,
    readonly peer: Peer,
    private readonly fields: Record<string, unknown>,
  ) {
    this.isLarge = JSON.stringify(fields).length > LARGE;
  }

  async send(): Promise<this> {
    this.id = await this.fixture.sender.send(this.fields);
    return this;
  }

  show(): Promise<ShownMail> {
    return this.fixture.sender.json('GET', `/emails/${this.id}`);
  }

  /** The first `count` attempts for a recipient (the first one unless told), once they have ended. */
  attempts(count: number, local?: string): Promise<ShownAttempt[]> {
    return until(
      async () => {
        const all = await this.list<ShownAttempt>('attempts');
        const own = all.filter(({ recipient }) => local === undefined || recipient.startsWith(`${local}@`)).reverse();
        return own.length >= count ? own.slice(0, count) : null;
      },
      { what: `${count} attempts of ${this.peer.domain}`, withinMs: 25_000 },
    );
  }

  async attempt(local?: string): Promise<ShownAttempt> {
    return (await this.attempts(1, local))[0];
  }

  /** Once nothing more will happen to any recipient. */
  ended(): Promise<ShownMail['recipients']> {
    return until(
      async () => {
        const { recipients } = await this.show();
        return recipients.every(({ status }) => FINAL.includes(status)) ? recipients : null;
      },
      { what: `an end of ${this.peer.domain}`, withinMs: 25_000 },
    );
  }

  async events(...types: string[]): Promise<ShownEvent[]> {
    return (await this.list<ShownEvent>('events')).filter(({ type }) => types.includes(type));
  }

  /** Final dots that its servers saw. */
  dots(): (ReceivedMail & { host: string })[] {
    return this.fixture.dots(...this.peer.hosts);
  }

  private async list<T>(name: string): Promise<T[]> {
    const path = `/emails/${this.id}/${name}?limit=100`;
    return (await this.fixture.sender.json<{ data: T[] }>('GET', path)).data;
  }
}
