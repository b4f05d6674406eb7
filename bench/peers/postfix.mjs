// Postfix, relaying from one loopback port to another, with its own configuration, queue and data directory. Its queue
// files are flushed to disk before each 250, which is the default. It is tuned for speed: no delays for fast clients,
// many concurrent deliveries to the only destination.
import { existsSync, mkdirSync, mkdtempSync, chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { freePorts, stopOnce, until } from '../children.mjs';
import { selfSigned } from './certificate.mjs';

/**
 * Postfix writes its log as in normal operation, because the fate of a message is recorded nowhere else.
 * BENCH_POSTFIX_LOG=off disables it.
 */
const LOGGED = process.env.BENCH_POSTFIX_LOG !== 'off';
/** Messages arrive over TLS, like at Postloft. BENCH_POSTFIX_TLS=off disables it. */
const TLS = process.env.BENCH_POSTFIX_TLS !== 'off';
const STARTING_MS = 20_000;
const ENDING_MS = 10_000;

const found = ['/usr/sbin/postfix', '/usr/local/sbin/postfix'].find((file) => existsSync(file));

/** @returns {string | null} the reason why Postfix cannot be measured */
export function postfixMissing() {
  if (!found) return 'Postfix is not installed';
  return process.getuid?.() === 0 ? null : 'Postfix can be started by root only';
}

/** @param {string} dir @param {{ smtp: number, next: number }} ports */
function settings(dir, { next }) {
  return `compatibility_level = 3.6
queue_directory = ${dir}/queue
data_directory = ${dir}/data
${LOGGED ? `maillog_file = ${dir}/mail.log\nmaillog_file_prefixes = ${dir}\n` : ''}myhostname = peer.example
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
relayhost = [127.0.0.1]:${next}
smtp_dns_support_level = disabled
smtp_host_lookup = native
smtpd_peername_lookup = no
alias_maps =
alias_database =
local_recipient_maps =
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions =
${TLS ? `smtpd_tls_security_level = encrypt\nsmtpd_tls_chain_files = ${dir}/etc/tls.pem` : 'smtpd_tls_security_level = none'}
smtp_tls_security_level = none
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
anvil_rate_time_unit = 60s
message_size_limit = 52428800
in_flow_delay = 0
default_process_limit = 100
default_destination_concurrency_limit = 50
initial_destination_concurrency = 50
smtp_connection_cache_on_demand = yes
biff = no
`;
}

/** @param {{ smtp: number }} ports */
const services = ({ smtp }) => `127.0.0.1:${smtp} inet n - n - - smtpd${TLS ? '\n  -o smtpd_tls_wrappermode=yes' : ''}
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;

export class Postfix {
  name = 'Postfix';
  login = null;
  tls = TLS;
  from = 'orders@sender.example';

  /** @param {string} dir @param {number} port @param {number} pid of the master */
  constructor(dir, port, pid) {
    this.dir = dir;
    this.port = port;
    this.roots = [pid];
    this.stop = stopOnce(() => stopPostfix(dir, pid));
  }

  /** @param {number} next port of the sink */
  static async start(next) {
    const dir = mkdtempSync(join(tmpdir(), 'postloft-bench-postfix-'));
    chmodSync(dir, 0o755);
    for (const folder of ['etc', 'queue', 'data']) mkdirSync(join(dir, folder));
    const [smtp] = await freePorts(1);
    writeFileSync(join(dir, 'etc/main.cf'), settings(dir, { smtp, next }));
    writeFileSync(join(dir, 'etc/master.cf'), services({ smtp }));
    if (TLS) {
      const { key, cert } = await selfSigned();
      writeFileSync(join(dir, 'etc/tls.pem'), `${key}\n${cert}`, { mode: 0o600 });
    }
    postfix(dir, 'set-permissions');
    const { status, text } = postfix(dir, 'start');
    if (status !== 0) throw new Error(`Postfix did not start: ${text}`);
    const started = new Postfix(dir, smtp, Number(readFileSync(join(dir, 'queue/pid/master.pid'), 'utf8')));
    await until(() => answers(smtp), 'Postfix to answer', STARTING_MS);
    return started;
  }
}

/** @param {string} dir @param {number} pid */
async function stopPostfix(dir, pid) {
  postfix(dir, 'stop');
  await until(async () => !existsSync(`/proc/${pid}`), 'Postfix to end', ENDING_MS);
  rmSync(dir, { recursive: true, force: true });
}

/** @param {string} dir @param {string} command */
function postfix(dir, command) {
  const { status, stdout, stderr } = spawnSync(/** @type {string} */ (found), ['-c', join(dir, 'etc'), command], {
    encoding: 'utf8',
    timeout: STARTING_MS,
  });
  return { status, text: `${stdout}${stderr}` };
}

/** @param {number} port @returns {Promise<boolean>} whether the server sends a greeting */
const answers = (port) =>
  new Promise((resolve) => {
    const to = { port, host: '127.0.0.1' };
    const socket = TLS ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('data', () => socket.end('QUIT\r\n') && resolve(true));
    socket.once('error', () => undefined);
    socket.once('close', () => resolve(false));
  });
