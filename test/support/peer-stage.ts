import { BadMx, type BadEvent, type BadHost } from './bad-mx.js';
import { LocalDns, type DnsName } from './local-dns.js';
import { mail } from './mail.js';
import { freePorts } from './ports.js';
import { startStandalone, type RunningProgram } from './program.js';
import { until } from './until.js';

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

/** One started program that delivers to many bad servers at once; everything is asked from outside. */
export class PeerStage {
  readonly #hosts: Record<string, BadHost> = {};
  readonly #zone: Record<string, DnsName> = {};
  readonly #mails: SentMail[] = [];
  #peers = 0;
  #dns: LocalDns | undefined;
  #mx: BadMx | undefined;
  #program: RunningProgram | undefined;

  /** Before `start`. */
  peer(...hosts: BadHost[]): Peer {
    const number = (this.#peers += 1);
    const domain = `p${number}.test`;
    const addresses = hosts.map((host, i) => {
      const address = `127.${1 + Math.floor(number / 256)}.${number % 256}.${i + 1}`;
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
    const sent = new SentMail(this, peer, mail({ to, ...over }));
    this.#mails.push(sent);
    return sent;
  }

  async start(python: string, env: Record<string, string>): Promise<void> {
    const [port] = await freePorts(1);
    this.#dns = await LocalDns.start(this.#zone);
    this.#mx = await BadMx.start({ python, port, hosts: this.#hosts });
    this.#program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(port),
      // So the port of our own door, at 127.0.0.1, is also the one where mail servers are looked for.
      INBOUND_SMTP_PORT: String(port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: this.#dns.address,
      ...env,
    });
    // Not all at once: on a slow machine servers in good health would then answer later than the limits of the phases.
    const small = this.#mails.filter(({ isLarge }) => !isLarge);
    for (let at = 0; at < small.length; at += AT_ONCE) {
      await Promise.all(small.slice(at, at + AT_ONCE).map((sent) => sent.send()));
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
    for (const sent of this.#mails) if (sent.isLarge) await sent.send();
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
    await this.#mx?.close();
    await this.#dns?.close();
    this.#program?.clean();
  }

  /** One of the account's sending domains. */
  async domain(name: string): Promise<{ id: string }> {
    const domains = (await (await this.program.call('GET', '/domains')).json()) as { id: string; name: string }[];
    const found = domains.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no domain ${name}`);
    return found;
  }

  get mx(): BadMx {
    return started(this.#mx);
  }

  get dns(): LocalDns {
    return started(this.#dns);
  }

  get program(): RunningProgram {
    return started(this.#program);
  }
}

/** One mail through POST /emails, and what the API says of it. */
export class SentMail {
  id = '';
  private readonly body: string;

  constructor(
    private readonly stage: PeerStage,
    readonly peer: Peer,
    fields: Record<string, unknown>,
  ) {
    this.body = JSON.stringify(fields);
  }

  get isLarge(): boolean {
    return this.body.length > LARGE;
  }

  async send(): Promise<this> {
    const answer = await this.stage.program.call('POST', '/emails', this.body);
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
    return this.stage.mx.dots(...this.peer.hosts);
  }

  async #read<T>(path: string): Promise<T> {
    return (await (await this.stage.program.call('GET', `/emails/${this.id}${path}`)).json()) as T;
  }
}

function started<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('the stage has not started');
  return thing;
}
