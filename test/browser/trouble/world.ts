import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Chromium, type Profile } from '../../support/browser/chromium.js';
import { LocalDns, publish } from '../../support/dns/local-dns.js';
import { mountCertificate } from '../../support/fixtures/mount-certificate.js';
import { selfSignedCertificate, type Certificate } from '../../support/fixtures/self-signed-certificate.js';
import { openCommandLine } from '../../support/services/command-line.js';
import { MailNetwork, mxSettings } from '../../support/services/mail-network.js';
import { freePorts } from '../../support/services/ports.js';
import { API_KEY, launch, standaloneEnv } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

/** A file system in memory, whose free space nobody else changes. */
const DISK = '/dev/shm';
const MIB = 1024 ** 2;
const ROOM_MIB = 300;
const HOST = 'smtp.postloft.test';
/** The service warns 21 days before the end, and the fixture begins 30 days before it. */
const VALID_DAYS = 25;

interface Domain {
  id: string;
  name: string;
  status: string;
  records: { record: string; type: string; name: string; value: string }[];
}

/** A service whose surroundings a script breaks and mends. */
export class World {
  readonly valid: Certificate = selfSignedCertificate(HOST, false, VALID_DAYS);
  readonly expired: Certificate = selfSignedCertificate(HOST, true);

  private constructor(
    readonly network: MailNetwork,
    readonly endpoint: WebhookReceiver,
    readonly chromium: Chromium,
    private readonly certificates: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async open(): Promise<World> {
    const folder = mkdtempSync(join(DISK, 'postloft-trouble-'));
    const dataDir = join(folder, 'data');
    const certificates = join(folder, 'certificates');
    for (const one of [dataDir, certificates]) mkdirSync(one);
    for (const one of [folder, dataDir, certificates]) chmodSync(one, 0o755);
    const [dns, [mxPort], endpoint] = await Promise.all([LocalDns.start(), freePorts(1), WebhookReceiver.start()]);
    mountCertificate(certificates, selfSignedCertificate(HOST, false, VALID_DAYS));
    const { bavail, bsize } = statfsSync(DISK);
    const program = await launch('standalone', {
      ...(await standaloneEnv(dataDir)),
      ...mxSettings(dns, mxPort),
      BOOTSTRAP_API_KEY: API_KEY,
      DISK_LOW_WATER: `${Math.floor((bavail * bsize) / MIB) - ROOM_MIB}MiB`,
      SMTP_TLS_CERT: join(certificates, '..data', 'tls.crt'),
      SMTP_TLS_KEY: join(certificates, '..data', 'tls.key'),
      // A day of the schedule takes 58 s.
      DOMAIN_CHECK_INTERVAL: '40ms',
      WEBHOOK_RETRY_SCHEDULE: '1s,1h',
    });
    const end = async () => {
      await program.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    return new World(MailNetwork.around(program, dns, mxPort), endpoint, await Chromium.launch(), certificates, end);
  }

  get service() {
    return this.network.sender;
  }

  /** A browser with the owner of the first account, who operates the service. */
  async operator(): Promise<Profile> {
    const commands = await openCommandLine(this.service.env);
    const { url } = (await commands.run(['login-link'])) as { url: string };
    await commands.close();
    const profile = await this.chromium.profile(this.service);
    await profile.page.goto(url);
    await profile.heading().waitFor();
    return profile;
  }

  /** A domain of the account, whose records are published and verified. */
  async verifiedDomain(name: string): Promise<Domain> {
    const domain = await this.service.json<Domain>('POST', '/domains', { name });
    publish(this.network.dns, domain.records);
    await this.domainBecomes(domain, 'active');
    return domain;
  }

  /** Takes the DKIM record out of DNS, or publishes it again. */
  setDkim({ records }: Domain, isPublished: boolean): void {
    const found = records.filter(({ record, type }) => record === 'DKIM' && type === 'TXT').slice(0, 1);
    if (isPublished) publish(this.network.dns, found);
    else for (const { name } of found) this.network.dns.remove(name);
  }

  /** A check of a domain may be asked for once in ten seconds. */
  async verify({ id }: Pick<Domain, 'id'>): Promise<void> {
    const asked = async () => (await this.service.call('POST', `/domains/${id}/verify`)).ok;
    await until(asked, { what: 'the check of the domain', everyMs: 500 });
  }

  async domainBecomes({ id }: Domain, status: string): Promise<void> {
    await this.verify({ id });
    const now = async () => (await this.service.json<Domain>('GET', `/domains/${id}`)).status === status;
    await until(now, { what: `the domain to be ${status}`, withinMs: 120_000, everyMs: 500 });
  }

  mount(certificate: Certificate): void {
    mountCertificate(this.certificates, certificate);
  }

  /** The error of a client of the relay that verifies certificates; null if it connects. */
  verifyingClient(trusted: Certificate): Promise<string | null> {
    const { smtps: port } = this.service.ports;
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', servername: HOST, ca: trusted.cert }, () => {
        socket.destroy();
        resolve(null);
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  }

  /** Fills the disk up to its low-water mark. The returned function frees it. */
  fillDisk(): () => void {
    const filler = join(DISK, `postloft-filler-${process.pid}`);
    writeFileSync(filler, Buffer.alloc((ROOM_MIB + 50) * MIB, 1));
    return () => rmSync(filler, { force: true });
  }

  async statusOf(id: string): Promise<string> {
    return (await this.service.json<{ status: string }>('GET', `/emails/${id}`)).status;
  }

  async close(): Promise<void> {
    await this.chromium.close();
    await this.endpoint.close();
    await this.network.close();
    await this.end();
  }
}
