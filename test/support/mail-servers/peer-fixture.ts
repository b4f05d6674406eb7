import { BadMx, type BadEvent, type BadHost } from './bad-mx.js';
import { LocalDns, type DnsName } from '../dns/local-dns.js';
import { freePorts } from '../services/ports.js';
import { startStandalone } from '../services/program.js';
import { mxSettings } from '../services/mail-network.js';
import { firstSender, type Sender } from '../services/sender.js';
import { openAccount, openZones, type ServiceAccount } from '../services/service-client.js';
import { until } from '../timing/until.js';

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

export interface ShownEvent {
  type: string;
  data: { recipient: string; bounce_class?: string; bounce_type?: string; enhanced_code?: string; temporary?: boolean };
}

/** A domain whose mail goes to servers of the scripted kind, in this order of preference. */
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
  readonly #hosts: Record<string, BadHost> = {};
  readonly #zone: Record<string, DnsName> = {};
  readonly #mails: SentMail[] = [];
  #peers = 0;
  #dns: LocalDns | undefined;
  #mx: BadMx | undefined;
  #sender: Sender | undefined;
  #account: ServiceAccount | undefined;
  #end: () => Promise<void> = async () => undefined;

  constructor(private readonly place: PeerPlace) {}

  /** Before `start`. */
  peer(...hosts: BadHost[]): Peer {
    const number = (this.#peers += 1);
    const domain = `p${number}.${this.place.zone}`;
    const addresses = hosts.map((host, i) => {
      const address = `127.${this.place.network + (number >> 8)}.${number & 255}.${i + 1}`;
      this.#hosts[address] = host;
      return address;
    });
    const servers = addresses.map((address, i) => ({
      name: `mx${i + 1}-${domain}`,
      address,
      preference: 10 * (i + 1),
    }));
    for (const { name, address } of servers) this.#zone[name] = { A: [address] };
    this.#zone[domain] = { MX: servers.map(({ name, preference }) => ({ preference, exchange: name })) };
    return { domain, hosts: addresses };
  }

  /** Before `start`: one more server, or what DNS says of a name. */
  host(address: string, host: BadHost): void {
    this.#hosts[address] = host;
  }

  zone(name: string, records: DnsName): void {
    this.#zone[name] = records;
  }

  /** A mail that `start` sends, a large one once the others are under way. */
  mail(peer: Peer, locals: string[] = ['one'], over: Record<string, unknown> = {}): SentMail {
    const to = locals.map((local) => `${local}@${peer.domain}`);
    const sent = new SentMail(this, peer, { to, ...over });
    this.#mails.push(sent);
    return sent;
  }

  /** On the shared service `delivery`. */
  async open(python: string): Promise<void> {
    const account = await openAccount('delivery');
    this.#sender = this.#account = account;
    this.#dns = await openZones([this.place.zone], this.#zone);
    await this.#begin(python, account.mxPort);
  }

  /** On a service of its own. */
  async start(python: string, env: Record<string, string> = {}): Promise<void> {
    const [port] = await freePorts(1);
    this.#dns = await LocalDns.start(this.#zone);
    const program = await startStandalone({ ...mxSettings(this.#dns, port), ...env });
    this.#sender = firstSender(program);
    this.#end = async () => {
      await program.stop();
      program.clean();
    };
    await this.#begin(python, port);
  }

  async #begin(python: string, port: number): Promise<void> {
    this.#mx = await BadMx.start({ python, port, hosts: this.#hosts });
    // Not all at once: on a slow machine servers in good health would then answer later than the limits of the phases.
    const small = this.#mails.filter(({ isLarge }) => !isLarge);
    for (let at = 0; at < small.length; at += AT_ONCE) {
      await Promise.all(small.slice(at, at + AT_ONCE).map((sent) => sent.send()));
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
    for (const sent of this.#mails) if (sent.isLarge) await sent.send();
  }

  async stop(): Promise<void> {
    await this.#end();
    await this.#mx?.close();
    await this.#dns?.close();
  }

  get mx(): BadMx {
    return started(this.#mx);
  }

  get dns(): LocalDns {
    return started(this.#dns);
  }

  /** Of the shared service. */
  get account(): ServiceAccount {
    return started(this.#account);
  }

  get sender(): Sender {
    return started(this.#sender);
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
    const { sender } = this.fixture;
    const answer = await sender.call('POST', '/emails', sender.mail(this.fields));
    if (answer.status >= 300) throw new Error(`POST /emails: ${answer.status} ${await answer.text()}`);
    this.id = ((await answer.json()) as { id: string }).id;
    return this;
  }

  show(): Promise<ShownMail> {
    return this.#read<ShownMail>('');
  }

  /** The first `count` attempts for a recipient (the first one unless told), once they have ended. */
  attempts(count: number, local?: string): Promise<ShownAttempt[]> {
    return until(
      async () => {
        const { data } = await this.#read<{ data: ShownAttempt[] }>('/attempts?limit=100');
        const own = data.filter(({ recipient }) => local === undefined || recipient.startsWith(`${local}@`)).reverse();
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
    const { data } = await this.#read<{ data: ShownEvent[] }>('/events?limit=100');
    return data.filter(({ type }) => types.includes(type));
  }

  /** Final dots that its servers saw. */
  dots(): BadEvent[] {
    return this.fixture.mx.dots(...this.peer.hosts);
  }

  async #read<T>(path: string): Promise<T> {
    return (await (await this.fixture.sender.call('GET', `/emails/${this.id}${path}`)).json()) as T;
  }
}

function started<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('the fixture has not started');
  return thing;
}
