import { LocalDns } from '../dns/local-dns.js';
import { startDistributed } from './distributed.js';
import { freePorts } from './ports.js';
import { startStandalone, type RunningProgram } from './program.js';
import { ScriptedMx, type MxScript } from '../mail-servers/scripted-mx.js';
import { nextNumber } from './host-client.js';
import { firstSender, type Sender } from './sender.js';
import { openAccount, openZones, type AccountOptions, type ServiceAccount } from './service-client.js';

/** Of services that a test starts for itself; the shared services begin at 127.16.0.0. */
const OWN_NETWORK = 15;

/** Mail servers and name server of a test, in front of a service that delivers to them (`DELIVERY_MODE=mx`). */
export class MailNetwork<S extends Sender = Sender> {
  private hosts = 0;
  private readonly servers: { close(): Promise<void> }[] = [];

  private constructor(
    readonly sender: S,
    readonly dns: LocalDns,
    /** Where the service expects mail servers, at whatever address. */
    readonly mxPort: number,
    private readonly number: number,
    private readonly end: () => Promise<void>,
  ) {}

  /** An account on a shared service; only names in `zones` can be given records. */
  static async open(
    service: 'delivery' | 'inbound',
    zones: readonly string[],
    options: AccountOptions = {},
  ): Promise<MailNetwork<ServiceAccount>> {
    const [account, dns, number] = await Promise.all([openAccount(service, options), openZones(zones), nextNumber()]);
    return new MailNetwork(account, dns, account.mxPort, number, () => dns.close());
  }

  /** A service of its own with these settings, which goes with the network. */
  static async start(env: Record<string, string> = {}): Promise<MailNetwork> {
    const dns = await LocalDns.start();
    const [mxPort] = await freePorts(1);
    const program = await startStandalone({ ...mxSettings(dns, mxPort), ...env });
    return new MailNetwork(firstSender(program), dns, mxPort, OWN_NETWORK, async () => {
      await program.stop();
      await dns.close();
      program.clean();
    });
  }

  /** The same with the five programs as processes of their own. */
  static async startDistributed(env: Record<string, string> = {}): Promise<MailNetwork> {
    const dns = await LocalDns.start();
    const [mxPort] = await freePorts(1);
    const service = await startDistributed(null, { ...mxSettings(dns, mxPort), ...env });
    const gateway = service.programs.get('gateway') as RunningProgram;
    return new MailNetwork(firstSender(gateway), dns, mxPort, OWN_NETWORK, async () => {
      await service.stop();
      await dns.close();
      service.clean();
    });
  }

  /** For a service that somebody else starts and stops, with `mxSettings`. */
  static around(program: RunningProgram, dns: LocalDns, mxPort: number): MailNetwork {
    return new MailNetwork(firstSender(program), dns, mxPort, OWN_NETWORK, () => dns.close());
  }

  /** A loopback address that nothing listens on yet. */
  nextAddress(): string {
    const host = (this.hosts += 1);
    return `127.${this.number}.${host >> 8}.${host & 255}`;
  }

  /** Makes the server at an address the only MX of a domain, under the name `mx.<domain>`. */
  route(domain: string, address: string): void {
    this.dns.set(domain, { MX: [{ preference: 10, exchange: `mx.${domain}` }] });
    this.dns.set(`mx.${domain}`, { A: [address] });
  }

  /** Starts a mail server on an address of its own, as the only MX of a domain. */
  async mailServer(domain: string, script: MxScript = {}): Promise<ScriptedMx> {
    const address = this.nextAddress();
    this.route(domain, address);
    return this.mailServerAt(address, script);
  }

  async mailServerAt(host: string, script: MxScript = {}): Promise<ScriptedMx> {
    const mx = await ScriptedMx.start({ ...script, host, port: this.mxPort });
    this.servers.push(mx);
    return mx;
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
    await this.end();
  }
}

/** Settings with which a service delivers to servers on the loopback addresses. */
export function mxSettings(dns: LocalDns, mxPort: number): Record<string, string> {
  return {
    DELIVERY_MODE: 'mx',
    MX_PORT: String(mxPort),
    ALLOW_PRIVATE_MX: 'true',
    DNS_SERVERS: dns.address,
  };
}
