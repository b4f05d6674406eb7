import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeWithMailauth } from '../judges/mail-judges.js';
import { snippetsOf, type Snippet } from './page-snippets.js';
import { ORDINARY_EXTENSIONS, type ReceivedMail, type ScriptedMx } from '../mail-servers/scripted-mx.js';
import { MailNetwork } from '../services/mail-network.js';
import { dnsTexts, type Sender } from '../services/sender.js';
import type { AccountOptions } from '../services/service-client.js';
import { until } from '../timing/until.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
const CLIENT_MS = 50_000;

/** What the snippets of docs/smtp.md say, and here something else takes its place. */
const PAGE = {
  host: 'smtp.post.example.com',
  sender: 'orders@mail.example.com',
  user: 'orders%40mail.example.com',
  authorities: '/etc/ssl/certs/ca-certificates.crt',
  recipient: 'ada@example.org',
};

/** A service in front of a sink that is everybody's MX, and a folder in which other people's clients run. */
export class RelayFixture {
  private readonly pages = snippetsOf('smtp.md');

  private constructor(
    private readonly network: MailNetwork,
    readonly sink: ScriptedMx,
    readonly folder: string,
    private readonly records: Record<string, string>,
  ) {}

  /** On the shared service `inbound`, with these domains of recipients. */
  static async open(domains: readonly string[], account: AccountOptions = {}): Promise<RelayFixture> {
    return RelayFixture.on(await MailNetwork.open('inbound', domains, account), domains);
  }

  /** On a service of its own. */
  static async start(domains: readonly string[]): Promise<RelayFixture> {
    return RelayFixture.on(await MailNetwork.start(), domains);
  }

  private static async on(network: MailNetwork, domains: readonly string[]): Promise<RelayFixture> {
    // Of the largest message more arrives than was submitted.
    const extensions = ORDINARY_EXTENSIONS.filter((keyword) => !keyword.startsWith('SIZE'));
    const address = network.nextAddress();
    const sink = await network.mailServerAt(address, { extensions });
    for (const domain of domains) network.route(domain, address);
    const folder = mkdtempSync(join(tmpdir(), 'postloft-clients-'));
    chmodSync(folder, 0o755);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new RelayFixture(network, sink, folder, await dnsTexts(network.sender));
  }

  get sender(): Sender {
    return this.network.sender;
  }

  async stop(): Promise<void> {
    await this.network.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The program's own certificate, which is its own authority. */
  get authority(): string {
    return join(this.sender.dataDir, 'smtp-certificate.pem');
  }

  /** The blocks below a heading of docs/smtp.md, as they would be written for this service. */
  snippets(heading: string, recipient: string): Snippet[] {
    const found = this.pages.get(heading);
    if (!found || found.length === 0) throw new Error(`docs/smtp.md has no block below "${heading}"`);
    return found.map(({ language, text }) => ({ language, text: this.adapted(text, recipient) }));
  }

  private adapted(text: string, recipient: string): string {
    const { smtp, smtps } = this.sender.ports;
    return text
      .replaceAll(PAGE.host, 'localhost')
      .replaceAll(PAGE.sender, this.sender.from)
      .replaceAll(PAGE.user, encodeURIComponent(this.sender.from))
      .replaceAll(PAGE.authorities, this.authority)
      .replaceAll(PAGE.recipient, recipient)
      .replace(/pl_live_…/g, this.sender.key)
      .replace(/\b587\b/g, String(smtp))
      .replace(/\b465\b/g, String(smtps));
  }

  write(name: string, content: string | Buffer, mode = 0o644): string {
    const file = join(this.folder, name);
    writeFileSync(file, content, { mode });
    return file;
  }

  /** Runs a client in the folder with the key and the authority in its environment; its output, or why it failed. */
  run(
    command: string,
    args: string[],
    { input = '', env = {} }: { input?: string; env?: object } = {},
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = execFile(
        command,
        args,
        {
          cwd: this.folder,
          timeout: CLIENT_MS,
          env: {
            PATH: `${process.env['PATH']}:/usr/sbin`,
            HOME: this.folder,
            LC_ALL: 'C.UTF-8',
            POSTLOFT_KEY: this.sender.key,
            SSL_CERT_FILE: this.authority,
            NODE_EXTRA_CA_CERTS: this.authority,
            ...env,
          },
        },
        (error, stdout, stderr) =>
          error ? reject(new Error(`${command}: ${stderr}${stdout}${error.message}`)) : resolve(stdout + stderr),
      );
      child.stdin?.on('error', () => undefined).end(input);
    });
  }

  /** The mail that reached the sink for this recipient. */
  arrived(recipient: string): Promise<ReceivedMail> {
    return until(async () => this.sink.accepted.find((mail) => mail.recipients.includes(recipient)), {
      what: `the mail for ${recipient}`,
    });
  }

  /** What mailauth says of each of our signatures. */
  signatures(mail: ReceivedMail): Promise<string[]> {
    return judgeWithMailauth(mail.content, this.records);
  }

  /** Tags of the mail by the API. */
  async tagsOf(recipient: string): Promise<Record<string, string>> {
    const path = `/emails?to=${encodeURIComponent(recipient)}`;
    const { data } = await this.sender.json<{ data: { id: string }[] }>('GET', path);
    return (await this.sender.json<{ tags: Record<string, string> }>('GET', `/emails/${data[0].id}`)).tags;
  }
}
