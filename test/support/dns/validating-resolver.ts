import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../ports.js';
import { until } from '../until.js';

export interface Zones {
  /** Lines of a zone file without names' final dots left out: everything here is in the root zone, and signed. */
  signed: string[];
  /** The top-level domain `unsigned.`, delegated without a key. */
  unsigned: string[];
  /** Done to the signed zone file after it was signed: what it changes has no valid signature any more. */
  tamper?: (signedZone: string) => string;
}

const ROOT_HEAD = [
  '$TTL 60',
  '. IN SOA ns. hostmaster. 1 3600 600 86400 60',
  '. IN NS ns.',
  'ns. IN A 127.0.0.1',
  'unsigned. IN NS ns.',
];
const UNSIGNED_HEAD = ['$TTL 60', 'unsigned. IN SOA ns. hostmaster. 1 3600 600 86400 60', 'unsigned. IN NS ns.'];

export const hasValidatingResolver = (): boolean =>
  ['unbound', 'ldns-keygen', 'ldns-signzone'].every((program) => spawnSync('which', [program]).status === 0);

/** Unbound on a port of 127.0.0.1, with a root zone of our own signed by ldns, and its key as trust anchor. */
export class ValidatingResolver {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    /** For DNS_SERVERS. */
    readonly address: string,
  ) {}

  static async start({ signed, unsigned, tamper = (zone) => zone }: Zones): Promise<ValidatingResolver> {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-zones-'));
    const path = (name: string) => join(folder, name);
    const run = (...[program, ...args]: string[]) =>
      execFileSync(program, args, { cwd: folder, encoding: 'utf8' }).trim();
    const keys = [
      run('ldns-keygen', '-a', 'ECDSAP256SHA256', '-k', '.'),
      run('ldns-keygen', '-a', 'ECDSAP256SHA256', '.'),
    ];
    writeFileSync(path('root'), [...ROOT_HEAD, ...signed, ''].join('\n'));
    run('ldns-signzone', '-f', 'root.signed', '-o', '.', 'root', ...keys);
    writeFileSync(path('root.signed'), tamper(readFileSync(path('root.signed'), 'utf8')));
    writeFileSync(path('unsigned'), [...UNSIGNED_HEAD, ...unsigned, ''].join('\n'));
    const [port] = await freePorts(1);
    writeFileSync(path('unbound.conf'), configuration(folder, port, `${keys[0]}.key`));
    const child = spawn('unbound', ['-d', '-c', path('unbound.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
    const resolver = new ValidatingResolver(child, folder, `127.0.0.1:${port}`);
    const dns = new Resolver({ timeout: 500, tries: 1 });
    dns.setServers([resolver.address]);
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`unbound ended: ${words}`);
        return (await dns.resolveNs('.')).length > 0;
      },
      { withinMs: 15_000, everyMs: 100, what: 'unbound to answer' },
    ).catch(async (error: Error) => {
      await resolver.close();
      throw error;
    });
    return resolver;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    if (this.process.exitCode === null && this.process.kill('SIGTERM')) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configuration(folder: string, port: number, key: string): string {
  const zone = (name: string, file: string) =>
    `auth-zone:\n name: "${name}"\n zonefile: "${folder}/${file}"\n for-upstream: yes\n for-downstream: no\n fallback-enabled: no\n`;
  return `server:
 interface: 127.0.0.1@${port}
 port: ${port}
 access-control: 127.0.0.0/8 allow
 do-daemonize: no
 chroot: ""
 username: ""
 directory: "${folder}"
 pidfile: ""
 use-syslog: no
 do-ip6: no
 module-config: "validator iterator"
 trust-anchor-file: "${folder}/${key}"
remote-control:
 control-enable: no
${zone('.', 'root.signed')}${zone('unsigned', 'unsigned')}`;
}
