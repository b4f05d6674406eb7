import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalDns } from '../dns/local-dns.js';
import { freePorts } from '../services/ports.js';
import { ScriptedMx } from '../mail-servers/scripted-mx.js';
import { testAuthority } from '../fixtures/self-signed-certificate.js';
import { TimeServer } from './time-server.js';

export const SERVICE = 'post.doctor.example';
export const HOST = `smtp.${SERVICE}`;
/** Every address of 127.0.0.0/8 can be a source and a listener. */
export const SOURCE = '127.0.0.10';
export const REVERSE = '10.0.0.127.in-addr.arpa';
const PROVIDERS = { 'gmail.com': '127.0.0.21', 'outlook.com': '127.0.0.22', 'yahoo.com': '127.0.0.23' };
const LISTS = ['zen.spamhaus.org', 'b.barracudacentral.org', 'bl.spamcop.net', 'psbl.surriel.com'];
const MORE_LISTS = ['dnsbl-1.uceprotect.net', 'bl.mailspike.net'];

export type DoctorNetwork = Awaited<ReturnType<typeof startDoctorNetwork>>;

/** What the doctor examines, without a fault and on loopback: DNS, mail servers, a time server, files. */
export async function startDoctorNetwork() {
  // The mail servers of three providers, and the one that the internet reaches on our port 25.
  const [dns, time, servers] = await Promise.all([LocalDns.start(), TimeServer.start(), startServers()]);
  const folder = mkdtempSync(join(tmpdir(), 'postloft-doctor-'));
  // The embedded database runs under an account of its own, which must be able to enter.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'data'));
  /** Writes a file into the folder and returns its path. */
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const certificate = testAuthority().issue(HOST);
  const [http, smtp, smtps, inbound] = await freePorts(4);
  /** Settings of the service, without a database. */
  const env: Record<string, string> = {
    DATA_DIR: join(folder, 'data'),
    HTTP_PORT: String(http),
    SMTP_PORT: String(smtp),
    SMTPS_PORT: String(smtps),
    INBOUND_SMTP_PORT: String(inbound),
    SERVICE_DOMAIN: SERVICE,
    DELIVERY_MODE: 'mx',
    MX_PORT: String(servers[0].port),
    ALLOW_PRIVATE_MX: 'true',
    DNS_SERVERS: dns.address,
    NTP_SERVERS: time.address,
    SHAPING_FILE: file('shaping.json', JSON.stringify({ sources: { main: [{ address: SOURCE }] } })),
    SMTP_TLS_CERT: file('cert.pem', certificate.cert),
    SMTP_TLS_KEY: file('key.pem', certificate.key),
  };
  /** Removes all faults. */
  const reset = () => {
    dns.lie = null;
    dns.isAway = false;
    Object.assign(time, { aheadMs: 0, isSilent: false, stratum: 2 });
    for (const [i, server] of servers.entries()) server.script = { on: { banner: `220 ${nameOf(i)} ESMTP` } };
    fill(dns);
  };
  reset();
  const close = async () => {
    await Promise.all([dns.close(), time.close(), ...servers.map((server) => server.close())]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { env, dns, servers, time, folder, file, reset, close };
}

const nameOf = (i: number): string => (i < 3 ? `mx.${Object.keys(PROVIDERS)[i]}` : HOST);

/** They share a port number, each on its own address. */
async function startServers(): Promise<ScriptedMx[]> {
  for (let attempt = 0; ; attempt += 1) {
    const first = await ScriptedMx.start({ host: SOURCE });
    const others = await Promise.allSettled(
      Object.values(PROVIDERS).map((host) => ScriptedMx.start({ host, port: first.port })),
    );
    const started = others.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (started.length === others.length) return [...started, first];
    await Promise.all([first, ...started].map((server) => server.close()));
    if (attempt === 10) throw new Error('no port is free on all addresses');
  }
}

/** The zone of docs/operator-dns.md, and the records of other zones. */
function fill(dns: LocalDns): void {
  dns.set('.', {});
  dns.remove('mta-sts.gmail.com');
  dns.set(HOST, { A: [SOURCE] });
  dns.set(REVERSE, { PTR: [HOST] });
  dns.set(`spf.${SERVICE}`, { TXT: [`v=spf1 ip4:${SOURCE} -all`] });
  dns.set(`bounces.${SERVICE}`, {
    MX: [{ preference: 10, exchange: HOST }],
    TXT: [`v=spf1 include:spf.${SERVICE} -all`],
  });
  dns.set(SERVICE, {
    MX: [{ preference: 10, exchange: HOST }],
    TXT: ['some-verification=1', `v=spf1 include:spf.${SERVICE} -all`],
  });
  dns.set(`_dmarc.${SERVICE}`, { TXT: [`v=DMARC1; p=none; rua=mailto:dmarc@${SERVICE}`] });
  dns.set(`example.com._report._dmarc.${SERVICE}`, { TXT: ['v=DMARC1;'] });
  dns.set(`track.${SERVICE}`, { CNAME: HOST });
  for (const [provider, address] of Object.entries(PROVIDERS)) {
    dns.set(provider, { MX: [{ preference: 5, exchange: `mx.${provider}` }] });
    dns.set(`mx.${provider}`, { A: [address] });
  }
  for (const zone of [...LISTS, ...MORE_LISTS]) {
    dns.set(`2.0.0.127.${zone}`, { A: ['127.0.0.2'] });
    dns.remove(`1.0.0.127.${zone}`);
    dns.remove(`10.0.0.127.${zone}`);
  }
  dns.set('dbltest.com.dbl.spamhaus.org', { A: ['127.0.1.2'] });
  dns.remove(`${SERVICE}.dbl.spamhaus.org`);
}
