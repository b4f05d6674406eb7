import { createTransport } from 'nodemailer';
import type { GoldenRequest, GoldenSubmission } from '../golden/messages/golden-mail.js';
import { LocalDns } from './local-dns.js';
import { startStandalone, type RunningProgram } from './program.js';
import { ScriptedMx, type ReceivedMail } from './scripted-mx.js';

export const GOLDEN_DOMAIN = 'news.example.com';
const SENDER = `news@${GOLDEN_DOMAIN}`;
const AT_ONCE = 20;

/** The started program beside a server that is everybody's MX: what is sent arrives there as bytes. */
export class GoldenRun {
  private sent = 0;

  private constructor(
    private readonly dns: LocalDns,
    private readonly mx: ScriptedMx,
    readonly program: RunningProgram,
    /** The TXT records that the sending domain is told to publish, by name. */
    readonly records: Record<string, string>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<GoldenRun> {
    const mx = await ScriptedMx.start();
    const dns = await LocalDns.start({
      'recipients.test': { MX: [{ preference: 10, exchange: 'mx.recipients.test' }] },
      'mx.recipients.test': { A: ['127.0.0.1'] },
    });
    const program = await startStandalone({
      DELIVERY_MODE: 'mx',
      MX_PORT: String(mx.port),
      ALLOW_PRIVATE_MX: 'true',
      DNS_SERVERS: dns.address,
      BOOTSTRAP_DOMAINS: GOLDEN_DOMAIN,
      SERVICE_DOMAIN: 'postloft.example.net',
      PUBLIC_URL: 'https://api.postloft.example.net',
      ...env,
    });
    const domains = (await (await program.call('GET', '/domains')).json()) as {
      records: { type: string; name: string; value: string }[];
    }[];
    const texts = domains[0].records.filter(({ type }) => type === 'TXT');
    return new GoldenRun(dns, mx, program, Object.fromEntries(texts.map(({ name, value }) => [name, value])));
  }

  async stop(): Promise<void> {
    await this.program.stop();
    await this.mx.close();
    await this.dns.close();
    this.program.clean();
  }

  /** Sends each of them over REST and gives what arrived, in the same order. */
  async requested(mails: readonly GoldenRequest[]): Promise<ReceivedMail[]> {
    return this.arrived(mails, async ({ name, body }, address) => {
      const answer = await this.program.call('POST', '/emails', { to: address, bcc: address, ...body });
      if (answer.status !== 201) throw new Error(`"${name}" was refused: ${await answer.text()}`);
    });
  }

  /** The same for messages that a client submits. */
  async submitted(mails: readonly GoldenSubmission[]): Promise<ReceivedMail[]> {
    const transport = createTransport({
      host: '127.0.0.1',
      port: this.program.ports.smtps,
      secure: true,
      pool: true,
      maxConnections: 4,
      tls: { rejectUnauthorized: false },
      auth: { user: SENDER, pass: this.program.key },
    });
    const received = await this.arrived(mails, ({ raw }, to) =>
      transport.sendMail({ envelope: { from: SENDER, to }, raw }),
    );
    transport.close();
    return received;
  }

  /** Each mail has an envelope recipient of its own, so that it is found whatever its headers say. */
  private async arrived<T>(mails: readonly T[], send: (mail: T, address: string) => Promise<unknown>) {
    const before = this.mx.accepted.length;
    const addresses = mails.map(() => `golden${++this.sent}@recipients.test`);
    for (let at = 0; at < mails.length; at += AT_ONCE)
      await Promise.all(mails.slice(at, at + AT_ONCE).map((mail, i) => send(mail, addresses[at + i])));
    await this.mx.waitForMails(before + mails.length, 30_000 + 50 * mails.length);
    const byRecipient = new Map(
      this.mx.accepted.slice(before).flatMap((mail) => mail.recipients.map((address) => [address, mail] as const)),
    );
    return addresses.map((address) => {
      const mail = byRecipient.get(address);
      if (!mail) throw new Error(`nothing arrived for ${address}`);
      return mail;
    });
  }
}
