import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { PEBBLE } from '../../tools/pebble.mjs';
import { testAuthority } from '../support/fixtures/self-signed-certificate.js';
import { freePorts } from '../support/services/ports.js';
import { until } from '../support/timing/until.js';

export const hasPebble = existsSync(PEBBLE.authority) && existsSync(PEBBLE.dns);

/** Pebble with a DNS server that answers 127.0.0.1 for every name. `node tools/pebble.mjs` builds it. */
export class PebbleServer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'postloft-pebble-'));
  private readonly processes: ChildProcess[] = [];
  /** PEM, of the root that its HTTPS certificate ends at; also as a file. */
  readonly root: string;
  readonly rootFile = join(this.folder, 'root.pem');
  private ports: number[] = [];

  constructor() {
    const authority = testAuthority();
    this.root = authority.cert;
    const { cert, key } = authority.issue('localhost');
    for (const [name, text] of [
      ['root.pem', authority.cert],
      ['cert.pem', cert],
      ['key.pem', key],
    ])
      writeFileSync(join(this.folder, name), text);
  }

  get directory(): string {
    return `https://localhost:${this.ports[0]}/dir`;
  }

  /** Where it looks for the answers to challenges. */
  get httpPort(): number {
    return this.ports[2];
  }

  async start(): Promise<void> {
    this.ports = await freePorts(6);
    const [acme, management, httpPort, tlsPort, dns, dnsManagement] = this.ports;
    const config = join(this.folder, 'config.json');
    const pebble = {
      ...{ listenAddress: `127.0.0.1:${acme}`, managementListenAddress: `127.0.0.1:${management}`, httpPort, tlsPort },
      ...{ certificate: join(this.folder, 'cert.pem'), privateKey: join(this.folder, 'key.pem') },
      ...{ retryAfter: { authz: 1, order: 1 }, keyAlgorithm: 'ecdsa' },
      profiles: { default: { description: 'default', validityPeriod: 7_776_000 } },
    };
    writeFileSync(config, JSON.stringify({ pebble }));
    this.run(PEBBLE.dns, [
      ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', '', '-defaultIPv6', ''],
      ...['-dnsserver', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`],
    ]);
    this.run(PEBBLE.authority, ['-config', config, '-dnsserver', `127.0.0.1:${dns}`]);
    await until(() => this.dns('clear-servfail', 'ready.test').catch(() => false), { what: 'the DNS server' });
  }

  /** A command of the DNS server, such as `set-servfail`. */
  async dns(command: string, host: string): Promise<boolean> {
    const body = JSON.stringify({ host: `${host}.` });
    const { statusCode } = await request(`http://127.0.0.1:${this.ports[5]}/${command}`, { method: 'POST', body });
    return statusCode === 200;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.processes.splice(0).map((child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return ended;
      }),
    );
    rmSync(this.folder, { recursive: true, force: true });
  }

  private run(program: string, args: string[]): void {
    const env = { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' };
    this.processes.push(spawn(program, args, { cwd: this.folder, env, stdio: 'ignore' }));
  }
}
