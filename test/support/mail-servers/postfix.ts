import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../services/ports.js';
import { selfSignedCertificate } from '../fixtures/self-signed-certificate.js';
import { until } from '../timing/until.js';

const STARTING_MS = 20_000;
const found = ['/usr/sbin/postfix', '/usr/local/sbin/postfix'].find((file) => existsSync(file));

/** Why Postfix cannot be asked here, or null. */
export function postfixMissing(): string | null {
  if (!found) return 'Postfix is not installed';
  return process.getuid?.() === 0 ? null : 'Postfix can be started by root only';
}

/** Postfix on loopback with a configuration, queue and data of its own; what it takes it throws away, unless told else. */
export class Postfix {
  private constructor(
    private readonly dir: string,
    private readonly pid: number,
    readonly ports: { plain: number; implicit: number },
  ) {}

  /** `more`: lines of main.cf, which count more than those that stand here. */
  static async start(more = ''): Promise<Postfix> {
    const dir = mkdtempSync(join(tmpdir(), 'postloft-postfix-'));
    chmodSync(dir, 0o755);
    for (const folder of ['etc', 'queue', 'data']) mkdirSync(join(dir, folder));
    const [plain, implicit] = await freePorts(2);
    const { key, cert } = selfSignedCertificate('peer.example');
    writeFileSync(join(dir, 'etc/server.pem'), `${key}${cert}`, { mode: 0o600 });
    writeFileSync(join(dir, 'etc/main.cf'), `${settings(dir)}${more}`);
    writeFileSync(join(dir, 'etc/master.cf'), services({ plain, implicit }));
    command(dir, 'set-permissions');
    const { status, text } = command(dir, 'start');
    if (status !== 0) throw new Error(`Postfix did not start: ${text}`);
    const pid = Number(readFileSync(join(dir, 'queue/pid/master.pid'), 'utf8'));
    const postfix = new Postfix(dir, pid, { plain, implicit });
    await until(() => listens(plain), { withinMs: STARTING_MS, what: 'Postfix to listen' });
    return postfix;
  }

  async stop(): Promise<void> {
    command(this.dir, 'stop');
    await until(async () => !existsSync(`/proc/${this.pid}`), { what: 'Postfix to end' });
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** As strict as it can be told to be, and without pauses for a client that errs often: the dialogues do little else. */
const settings = (dir: string): string => `compatibility_level = 3.6
queue_directory = ${dir}/queue
data_directory = ${dir}/data
maillog_file = ${dir}/mail.log
maillog_file_prefixes = ${dir}
myhostname = peer.example
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
default_transport = discard
alias_maps =
alias_database =
local_recipient_maps =
smtpd_peername_lookup = no
smtpd_helo_required = yes
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions =
smtpd_recipient_limit = 100
smtpd_tls_security_level = may
smtpd_tls_chain_files = ${dir}/etc/server.pem
smtpd_tls_mandatory_protocols = >=TLSv1.2
smtpd_tls_protocols = >=TLSv1.2
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
smtpd_error_sleep_time = 0
smtpd_soft_error_limit = 1000
smtpd_hard_error_limit = 1000
message_size_limit = 10485760
strict_rfc821_envelopes = yes
strict_smtputf8 = yes
biff = no
`;

const services = ({
  plain,
  implicit,
}: {
  plain: number;
  implicit: number;
}): string => `127.0.0.1:${plain} inet n - n - - smtpd
127.0.0.1:${implicit} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`;

function command(dir: string, word: string): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(found as string, ['-c', join(dir, 'etc'), word], {
    encoding: 'utf8',
    timeout: STARTING_MS,
  });
  return { status, text: `${stdout}${stderr}` };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.end('QUIT\r\n');
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
