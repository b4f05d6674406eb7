import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../support/services/ports.js';
import { until } from '../support/timing/until.js';

export interface Zones {
  /** Lines of a zone file without names' final dots left out: everything here is in the root zone, and signed. */
  signed: string[];
  /** The top-level domain `unsigned.`, delegated without a key. */
  unsigned: string[];
  /** The top-level domain `nsec3.`, signed with NSEC3. */
  nsec3: string[];
  /** Whether a signature of the root zone is replaced by one that has expired. */
  isExpired: (signature: string) => boolean;
  /** Done to the signed zone file after it was signed: what it changes has no valid signature any more. */
  tamper?: (signedZone: string) => string;
}

const ROOT_HEAD = [
  '$TTL 60',
  '. IN SOA ns. hostmaster. 1 3600 600 86400 60',
  '. IN NS ns.',
  'ns. IN A 127.0.0.1',
  'unsigned. IN NS ns.',
  'nsec3. IN NS ns.',
];
const NSEC3_HEAD = ['$TTL 60', 'nsec3. IN SOA ns. hostmaster. 1 3600 600 86400 60', 'nsec3. IN NS ns.'];
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

  static async start({
    signed,
    unsigned,
    nsec3,
    isExpired,
    tamper = (zone) => zone,
  }: Zones): Promise<ValidatingResolver> {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-zones-'));
    const path = (name: string) => join(folder, name);
    const run = (...[program, ...args]: string[]) =>
      execFileSync(program, args, { cwd: folder, encoding: 'utf8' }).trim();
    const keysOf = (zone: string) => [
      run('ldns-keygen', '-a', 'ECDSAP256SHA256', '-k', zone),
      run('ldns-keygen', '-a', 'ECDSAP256SHA256', zone),
    ];
    const [keys, nsec3Keys] = [keysOf('.'), keysOf('nsec3.')];
    writeFileSync(path('nsec3'), [...NSEC3_HEAD, ...nsec3, ''].join('\n'));
    run('ldns-signzone', '-n', '-f', 'nsec3.signed', '-o', 'nsec3.', 'nsec3', ...nsec3Keys);
    const delegation = run('ldns-key2ds', '-n', '-2', `${nsec3Keys[0]}.key`);
    writeFileSync(path('root'), [...ROOT_HEAD, delegation, ...signed, ''].join('\n'));
    const sign = (file: string, ...period: string[]): string => {
      run('ldns-signzone', ...period, '-f', file, '-o', '.', 'root', ...keys);
      return readFileSync(path(file), 'utf8');
    };
    const expired = sign('root.expired', '-i', '20260101', '-e', '20260201');
    const current = sign('root.signed');
    writeFileSync(path('root.signed'), tamper(withSignatures(current, expired, isExpired)));
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

const SIGNATURE = /^(\S+)\s.*\sRRSIG\s+(\S+)\s/;

/** `zone` with the signatures of the other signed zone file in place of those that are chosen. */
function withSignatures(zone: string, other: string, isChosen: (signature: string) => boolean): string {
  const keyOf = (line: string) => SIGNATURE.exec(line)?.slice(1).join(' ');
  const replacements = new Map(other.split('\n').map((line) => [keyOf(line), line]));
  return zone
    .split('\n')
    .map((line) => (SIGNATURE.test(line) && isChosen(line) ? (replacements.get(keyOf(line)) ?? line) : line))
    .join('\n');
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
${zone('.', 'root.signed')}${zone('unsigned', 'unsigned')}${zone('nsec3', 'nsec3.signed')}`;
}
