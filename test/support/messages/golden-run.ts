import type { GoldenRequest, GoldenSubmission } from '../../golden/messages/golden-mail.js';
import type { ReceivedMail, ScriptedMx } from '../mail-servers/scripted-mx.js';
import { MailNetwork } from '../services/mail-network.js';
import { PUBLIC_URL } from '../services/profiles.js';
import { relayClient } from '../services/relay-client.js';
import { dnsTexts, type Sender } from '../services/sender.js';

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
    return new GoldenRun(network, mx, recipients, await dnsTexts(network.sender, GOLDEN_DOMAIN));
  }

  get sender(): Sender {
    return this.network.sender;
  }

  stop(): Promise<void> {
    return this.network.close();
  }

  /** Sends each of them over REST and gives what arrived, in the same order. */
  async requested(mails: readonly GoldenRequest[]): Promise<ReceivedMail[]> {
    return this.arrived(mails, async ({ body }, address) => {
      await this.sender.json('POST', '/emails', { to: address, bcc: address, ...body });
    });
  }

  /** The same for messages that a client submits. */
  async submitted(mails: readonly GoldenSubmission[]): Promise<ReceivedMail[]> {
    const transport = relayClient({ ...this.sender, from: ADDRESS }, { pool: true, maxConnections: 4 });
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
