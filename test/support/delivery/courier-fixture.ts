import { createCourier } from '../../../libs/mta/src/index.js';
import type {
  Courier,
  CourierOptions,
  Destination,
  Envelope,
  Outcome,
  OutgoingMessage,
  TlsResult,
} from '../../../libs/mta/src/index.js';
import type { CourierTimeouts } from '../../../libs/mta/src/courier.js';
import { LocalDns } from '../dns/local-dns.js';
import type { DnsName } from '../dns/local-dns.js';
import { ORDINARY_EXTENSIONS, ScriptedMx } from '../mail-servers/scripted-mx.js';
import type { MxAction, MxMoment, MxScript } from '../mail-servers/scripted-mx.js';

/** Limits longer than a test may last: a busy machine runs into none. A test about a limit sets that one alone. */
export const UNLIMITED: CourierTimeouts = {
  connect: 600_000,
  greeting: 600_000,
  ehlo: 600_000,
  mail: 600_000,
  rcpt: 600_000,
  data: 600_000,
  dot: 600_000,
  total: 600_000,
};

export const CONTENT = Buffer.from('From: a@from.test\r\nSubject: hello\r\n\r\n.dot\r\nbody\r\n');

/** A server that is as others are but at one moment. */
export function at(moment: MxMoment, action: MxAction, extensions = ORDINARY_EXTENSIONS): MxScript {
  return { on: { [moment]: action }, extensions };
}

/** Envelope and message of one delivery. */
export type TestJob = Envelope & OutgoingMessage;

/** A courier in mode `mx` with its own DNS and scripted servers; everything is closed by `close`. */
export class CourierFixture {
  readonly servers: ScriptedMx[] = [];
  readonly events: object[] = [];
  readonly tlsResults: TlsResult[] = [];
  #courier: Courier | null = null;
  #closed = false;

  private constructor(
    readonly dns: LocalDns,
    private readonly overrides: Partial<CourierOptions>,
  ) {}

  static async start(
    overrides: Partial<CourierOptions> = {},
    zone: Record<string, DnsName> = {},
  ): Promise<CourierFixture> {
    return new CourierFixture(await LocalDns.start(zone), overrides);
  }

  /**
   * One server per script, on 127.0.0.1, 127.0.0.2, … and one port; they become the MX of `to.test` in this order of
   * preference.
   */
  async serve(...scripts: MxScript[]): Promise<ScriptedMx[]> {
    let port = 0;
    for (const [i, script] of scripts.entries()) {
      const server = await ScriptedMx.start({ ...script, host: `127.0.0.${i + 1}`, port });
      port = server.port;
      this.servers.push(server);
      this.dns.set(`mx${i + 1}.to.test`, { A: [`127.0.0.${i + 1}`] });
    }
    this.dns.set('to.test', {
      MX: scripts.map((_, i) => ({ preference: 10 * (i + 1), exchange: `mx${i + 1}.to.test` })),
    });
    return this.servers;
  }

  get courier(): Courier {
    this.#courier ??= createCourier({
      mode: 'mx',
      mxPort: this.servers[0]?.port ?? 1,
      dnsServers: [this.dns.address],
      allowPrivateMx: true,
      connectionsPerHost: 5,
      freeConnectionMs: 600_000,
      heloName: 'out.from.test',
      timeouts: UNLIMITED,
      ownAddresses: [],
      log: (event) => this.events.push(event),
      ...this.overrides,
    });
    return this.#courier;
  }

  job(...addresses: string[]): TestJob {
    const to = addresses.length === 0 ? ['one@to.test'] : addresses;
    return {
      id: 'em_1',
      mailFrom: 'a@from.test',
      recipients: to.map((address) => ({ key: address, address })),
      content: () => Promise.resolve(CONTENT),
      sevenBit: () => Promise.resolve(null),
      permit: () => true,
      tls: 'opportunistic',
      source: null,
    };
  }

  /** @throws while DNS is away. */
  async destination(domain = 'to.test'): Promise<Destination> {
    const destination = await this.courier.destination(domain);
    if (destination === null) throw new Error('no name server answers');
    return destination;
  }

  deliver(...addresses: string[]): Promise<Outcome[]> {
    return this.send(this.job(...addresses));
  }

  /** One attempt, as the queue makes it. */
  async send(job: TestJob): Promise<Outcome[]> {
    const route = await this.courier.resolve(job.recipients[0].address.replace(/^.*@/, ''));
    const { outcomes, tlsResults } = await this.courier.deliver(route, job, job);
    this.tlsResults.push(...tlsResults);
    return outcomes;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#courier?.close(0);
    await Promise.all(this.servers.map((server) => server.close()));
    await this.dns.close();
  }
}

/** `delivered`, `bounced rcpt 550`, `deferred not_sent connect`: an outcome in a few words, for comparing many. */
export function brief(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'delivered':
    case 'abandoned':
      return outcome.kind;
    case 'bounced':
      return ['bounced', outcome.phase, outcome.reply.code ?? outcome.reply.enhanced].join(' ');
    case 'deferred':
      return [
        'deferred',
        outcome.certainty,
        outcome.phase,
        ...(outcome.reply.code === null ? [] : [outcome.reply.code]),
      ].join(' ');
  }
}
