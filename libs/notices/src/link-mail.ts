import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { SystemMail } from '#libs/emails';
import { Config, Log } from '#libs/kernel';
import { composeMessage } from '#libs/mime';
import type { Letter } from '#libs/users';
import { nameInMail } from './name-in-mail.js';

interface Text {
  subject: string;
  lines: string[];
}

/** Composes the messages with links for users, and sends them as messages of the service. */
@Injectable()
export class LinkMail {
  constructor(
    private readonly mail: SystemMail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** @throws Refusal service_unavailable if no message can be sent to anybody, whatever the address */
  assertReady(): Promise<void> {
    return this.mail.assertReady();
  }

  /** For messages about something that has happened, whether or not they can be sent. */
  sendLater(letter: Letter): void {
    void this.sendComposed(() => Promise.resolve(letter));
  }

  /** Never rejects: nobody waits for it. */
  async sendComposed(compose: () => Promise<Letter | null>): Promise<void> {
    try {
      const letter = await compose();
      if (letter !== null) await this.send(letter);
    } catch (error) {
      this.log.error('a message to a user of the dashboard cannot be sent', error);
    }
  }

  /**
   * Sends the message of a person who is logged in and gave the address in the field `email`.
   * @throws Refusal if the message is not accepted
   */
  async sendRequested(letter: Letter): Promise<void> {
    try {
      await this.send(letter);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'recipient_suppressed') throw error;
      const message = 'must be that of a mailbox that exists: an earlier message of this service bounced';
      throw new Refusal('recipient_suppressed', [{ field: 'email', code: 'suppressed', message }], SUPPRESSED);
    }
  }

  /** @throws Refusal if the message is not accepted, for example because the mailbox does not exist */
  private async send(letter: Letter): Promise<void> {
    const { to } = letter;
    const { sender } = this.mail;
    const { subject, lines } = textOf(letter, this.config.settings.PUBLIC_URL);
    const key = randomUUID();
    const messageId = `<${key}@${sender.slice(sender.indexOf('@') + 1)}>`;
    const message = await composeMessage({
      messageId,
      date: new Date(),
      from: { name: 'Postloft', address: sender },
      to: [{ name: '', address: to }],
      cc: [],
      replyTo: [],
      subject,
      text: `${lines.join('\n')}\n`,
      headers: [['Auto-Submitted', 'auto-generated']],
      attachments: [],
      boundarySeed: key,
    });
    await this.mail.send({ kind: 'login', to, subject, messageId, message, key: `login ${key}` });
  }
}

const SUPPRESSED =
  'No message can be sent to this address: an earlier one bounced, because there is no such mailbox. If there is one now, the ' +
  'operator of this service can remove the address from the suppression list of the first account.';

const IGNORE = 'If you did not expect this message, you can ignore it.';

function textOf(letter: Letter, base: string): Text {
  switch (letter.kind) {
    case 'password_reset':
      return {
        subject: 'Set a new password',
        lines: [
          `Somebody asked for a new password for the Postloft dashboard at ${base}.`,
          'To set it, open this link within one hour:',
          ...linkTo(`${base}/app/reset?token=${letter.token}`),
        ],
      };
    case 'email_change':
      return {
        subject: 'Confirm your email address',
        lines: [
          `To sign in to the Postloft dashboard at ${base} with this address, open this link within one hour:`,
          ...linkTo(`${base}/app/email?token=${letter.token}`),
        ],
      };
    case 'sign_up':
      return {
        subject: 'Confirm your email address',
        lines: [
          `To create your account at ${base}, open this link within a day:`,
          ...linkTo(`${base}/app/sign-up?token=${letter.token}`),
        ],
      };
    case 'known_address':
      return {
        subject: 'You have an account already',
        lines: [
          `Somebody gave this address at ${base}, but it belongs to a user already.`,
          'Sign in, or set a new password, here:',
          ...linkTo(`${base}/app/login`),
        ],
      };
    case 'invitation':
      return invitationText(letter, base);
    case 'email_changed':
    case 'password_changed':
    case 'identity_linked':
    case 'member_removed':
      return changeText(letter, base);
  }
}

type Change = Extract<Letter, { kind: 'email_changed' | 'password_changed' | 'identity_linked' | 'member_removed' }>;

/** Notifies the person in a way that the author of the change cannot prevent. */
function changeText(letter: Change, base: string): Text {
  switch (letter.kind) {
    case 'email_changed':
      return {
        subject: 'Your email address was changed',
        lines: [
          `The address of your login to the Postloft dashboard at ${base} is no longer this one.`,
          `New address: ${addressIn(letter.email)}`,
          ...byClient(letter.ip),
          'If it was not you, ask an owner of your account or the operator of the service to help you at once.',
        ],
      };
    case 'password_changed':
      return {
        subject: 'Your password was changed',
        lines: [
          `The password of your login to the Postloft dashboard at ${base} was changed, and other sessions have ended.`,
          ...byClient(letter.ip),
          `If it was not you, set a new one at ${base}/app/reset and look at your sessions in the settings.`,
        ],
      };
    case 'identity_linked':
      return {
        subject: 'A single sign-on was linked to your login',
        lines: [
          `An identity of ${letter.issuer} with this address can sign in as you to the Postloft dashboard at ${base}.`,
          ...byClient(letter.ip),
          'If it was not you, ask an owner of your account or the operator of the service to help you at once.',
        ],
      };
    case 'member_removed':
      return {
        subject: 'You were removed from an account',
        lines: [
          `You are no longer a member of an account at ${base}.`,
          `Account: ${nameInMail(letter.accountName)}`,
          'Your login remains. If you did not expect this message, ask an owner of the account.',
        ],
      };
  }
}

const byClient = (ip: string): string[] => [`By a client at ${ip}, ${new Date().toUTCString()}`, ''];

/** Names are chosen by others: only the body has them, behind the sentence that says what this is. */
function invitationText(letter: Extract<Letter, { kind: 'invitation' }>, base: string): Text {
  return {
    subject: 'You are invited to a Postloft account',
    lines: [
      `You are invited to the Postloft dashboard at ${base}.`,
      `Account: ${nameInMail(letter.accountName)}`,
      `Invited by: ${personIn(letter.invitedBy)}`,
      `Role: ${letter.role}`,
      '',
      'To accept, open this link within seven days:',
      ...linkTo(`${base}/app/invitation?token=${letter.token}`),
    ],
  };
}

const linkTo = (url: string): string[] => ['', url, '', IGNORE];

/** An address of ordinary characters, which cannot hold a link in a quoted local part. */
const PLAIN_ADDRESS = /^[\w.+-]+@[\w.-]+$/;

const addressIn = (email: string): string => (PLAIN_ADDRESS.test(email) ? email : nameInMail(email));

function personIn({ name, email }: { name: string; email: string }): string {
  const address = addressIn(email);
  const shown = nameInMail(name);
  return shown === '' ? address : `${shown} (${address})`;
}
