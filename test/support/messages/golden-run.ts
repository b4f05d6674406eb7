import { createTransport } from 'nodemailer';
import type { GoldenRequest, GoldenSubmission } from '../../golden/messages/golden-mail.js';
import type { ReceivedMail, ScriptedMx } from '../mail-servers/scripted-mx.js';
import { MailNetwork } from '../services/mail-network.js';
import { PUBLIC_URL } from '../services/profiles.js';
import type { Sender } from '../services/sender.js';

const GOLDEN_DOMAIN = 'news.example.com';
const ADDRESS = `news@${GOLDEN_DOMAIN}`;
const AT_ONCE = 20;

/** A service and the only mail server that it delivers to: what is sent arrives there as bytes. */
export class GoldenRun {
  private sent = 0;

  private constructor(
    private readonly network: MailNetwork,
    private readonly mx: ScriptedMx,
    private readonly recipients: string,
    /** The TXT records that the sending domain is told to publish, by name. */
    readonly records: Record<string, string>,
  ) {}

  /** On the shared service `inbound`. */
  static async open(): Promise<GoldenRun> {
    const recipients = 'golden-mails.test';
    return GoldenRun.on(await MailNetwork.open('inbound', [recipients], { domain: GOLDEN_DOMAIN }), recipients);
  }

  /** On a service of its own. */
  static async start(): Promise<GoldenRun> {
    return GoldenRun.on(await MailNetwork.start({ BOOTSTRAP_DOMAINS: GOLDEN_DOMAIN, PUBLIC_URL }), 'recipients.test');
  }

  private static async on(network: MailNetwork, recipients: string): Promise<GoldenRun> {
    const mx = await network.mailServer(recipients);
    const domains = (await (await network.sender.call('GET', '/domains')).json()) as {
      name: string;
      records: { type: string; name: string; value: string }[];
    }[];
    const golden = domains.find(({ name }) => name === GOLDEN_DOMAIN);
    const texts = (golden?.records ?? []).filter(({ type }) => type === 'TXT');
    return new GoldenRun(network, mx, recipients, Object.fromEntries(texts.map(({ name, value }) => [name, value])));
  }

  get sender(): Sender {
    return this.network.sender;
  }

  stop(): Promise<void> {
    return this.network.close();
  }

  /** Sends each of them over REST and gives what arrived, in the same order. */
  async requested(mails: readonly GoldenRequest[]): Promise<ReceivedMail[]> {
    return this.arrived(mails, async ({ name, body }, address) => {
      const answer = await this.sender.call('POST', '/emails', { to: address, bcc: address, ...body });
      if (answer.status !== 201) throw new Error(`"${name}" was refused: ${await answer.text()}`);
    });
  }

  /** The same for messages that a client submits. */
  async submitted(mails: readonly GoldenSubmission[]): Promise<ReceivedMail[]> {
    const transport = createTransport({
      host: '127.0.0.1',
      port: this.sender.ports.smtps,
      secure: true,
      pool: true,
      maxConnections: 4,
      tls: { rejectUnauthorized: false },
      auth: { user: ADDRESS, pass: this.sender.key },
    });
    const received = await this.arrived(mails, ({ raw }, to) =>
      transport.sendMail({ envelope: { from: ADDRESS, to }, raw }),
    );
    transport.close();
    return received;
  }

  /** Each mail has an envelope recipient of its own, so that it is found whatever its headers say. */
  private async arrived<T>(mails: readonly T[], send: (mail: T, address: string) => Promise<unknown>) {
    const before = this.mx.accepted.length;
    const addresses = mails.map(() => `golden${++this.sent}@${this.recipients}`);
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
