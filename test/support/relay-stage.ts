import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeWithMailauth } from './mail-judges.js';
import { snippetsOf, type Snippet } from './page-snippets.js';
import { startStandalone, type RunningProgram } from './program.js';
import { ORDINARY_EXTENSIONS, ScriptedMx, type ReceivedMail } from './scripted-mx.js';
import { until } from './until.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const CLIENT_MS = 50_000;

/** What the snippets of docs/smtp.md say, and here something else takes its place. */
const PAGE = {
  host: 'smtp.post.example.com',
  sender: 'orders@mail.example.com',
  user: 'orders%40mail.example.com',
  authorities: '/etc/ssl/certs/ca-certificates.crt',
  recipient: 'ada@example.org',
};

/** The started program, which hands all mail to a sink, and a folder in which other people's clients run. */
export class RelayStage {
  static readonly sender = 'orders@sandbox.postloft.test';
  private readonly pages = snippetsOf('smtp.md');

  private constructor(
    readonly program: RunningProgram,
    readonly sink: ScriptedMx,
    readonly folder: string,
    private readonly records: Record<string, string>,
  ) {}

  static async start(): Promise<RelayStage> {
    // Of the largest message more arrives than was submitted.
    const extensions = ORDINARY_EXTENSIONS.filter((keyword) => !keyword.startsWith('SIZE'));
    const sink = await ScriptedMx.start({ extensions });
    const program = await startStandalone({
      DELIVERY_MODE: 'smarthost',
      SMARTHOST_URL: `smtp://127.0.0.1:${sink.port}`,
    });
    const domains = (await (await program.call('GET', '/domains')).json()) as {
      records: { type: string; name: string; value: string }[];
    }[];
    const texts = domains[0].records.filter(({ type }) => type === 'TXT');
    const folder = mkdtempSync(join(tmpdir(), 'postloft-clients-'));
    chmodSync(folder, 0o755);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new RelayStage(program, sink, folder, Object.fromEntries(texts.map(({ name, value }) => [name, value])));
  }

  async stop(): Promise<void> {
    await this.program.stop();
    await this.sink.close();
    this.program.clean();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The program's own certificate, which is its own authority. */
  get authority(): string {
    return join(this.program.dataDir, 'smtp-certificate.pem');
  }

  /** The blocks below a heading of docs/smtp.md, as they would be written for this service. */
  snippets(heading: string, recipient: string): Snippet[] {
    const found = this.pages.get(heading);
    if (!found || found.length === 0) throw new Error(`docs/smtp.md has no block below "${heading}"`);
    return found.map(({ language, text }) => ({ language, text: this.adapted(text, recipient) }));
  }

  private adapted(text: string, recipient: string): string {
    const { smtp, smtps } = this.program.ports;
    return text
      .replaceAll(PAGE.host, 'localhost')
      .replaceAll(PAGE.sender, RelayStage.sender)
      .replaceAll(PAGE.user, encodeURIComponent(RelayStage.sender))
      .replaceAll(PAGE.authorities, this.authority)
      .replaceAll(PAGE.recipient, recipient)
      .replace(/pl_live_…/g, this.program.key)
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
            POSTLOFT_KEY: this.program.key,
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
    const page = await this.program.call('GET', `/emails?to=${encodeURIComponent(recipient)}`);
    const { data } = (await page.json()) as { data: { id: string }[] };
    const shown = await this.program.call('GET', `/emails/${data[0].id}`);
    return ((await shown.json()) as { tags: Record<string, string> }).tags;
  }
}
