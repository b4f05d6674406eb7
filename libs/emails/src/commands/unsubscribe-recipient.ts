import { Injectable } from '@nestjs/common';
import { Config, LocalNotifications, databaseClock } from '#libs/kernel';
import { domainOf, normaliseAddress } from '#libs/mime';
import { outbox, Database, type Queryable } from '#libs/persistence';
import { SuppressionList, domainSuppressions } from '#libs/suppressions';
import { emailEvent, emailInfoOf } from '../message/email-events.js';
import type { RecipientRef } from '../message/recipient-token.js';
import { isSimulated } from '../message/simulator.js';
import { UnsubscribeLink } from '../message/unsubscribe-link.js';
import { emailOfRecipient, type EmailOfRecipient } from '../queries/recipient-row.js';

/** Shown to a person who opens an unsubscribe link. */
export interface Unsubscription {
  /** The sending domain. */
  sender: string;
  address: string;
}

/**
 * Unsubscribes recipients from a sending domain. No account is authenticated: the MAC of the token proves that the link
 * was issued by this service.
 */
@Injectable()
export class UnsubscribeRecipient {
  constructor(
    private readonly database: Database,
    private readonly link: UnsubscribeLink,
    private readonly suppressions: SuppressionList,
    private readonly notifications: LocalNotifications,
    private readonly config: Config,
  ) {}

  /** Read-only. Returns null for an invalid token, and for an email deleted by retention. */
  async find(token: string): Promise<Unsubscription | null> {
    const ref = this.link.read(token);
    const row = ref && (await emailOfRecipient(this.database, ref));
    return row && toUnsubscription(row);
  }

  /**
   * Suppresses the recipient for the sending domain. May be repeated: only the first call has an effect, unless the
   * suppression was removed in between. A simulated recipient gets the event but no suppression.
   */
  async unsubscribe(token: string): Promise<Unsubscription | null> {
    const ref = this.link.read(token);
    return ref && this.unsubscribeRecipient(ref);
  }

  /** Unsubscribes a recipient that asked for it in another way; the caller has verified that. */
  async unsubscribeRecipient(ref: RecipientRef): Promise<Unsubscription | null> {
    const row = await this.database.transactionWithRetry((tx) => this.write(tx, ref));
    if (row) this.notifications.notify('outbox');
    return row && toUnsubscription(row);
  }

  private async write(tx: Queryable, ref: RecipientRef): Promise<EmailOfRecipient | null> {
    const row = await emailOfRecipient(tx, ref, 'lock');
    if (row === null) return null;
    const at = databaseClock.date();
    const { rowCount } = await tx.query({
      name: 'unsubscribe-recipient',
      text: 'UPDATE recipients SET unsubscribed_at = $3 WHERE email_id = $1 AND ordinal = $2 AND unsubscribed_at IS NULL',
      values: [ref.emailId, ref.ordinal, at],
    });
    const added =
      !isSimulated({ test: row.mode === 'test' }, row.address, this.config) && (await this.suppress(tx, row, at));
    if (rowCount === 0 && !added) return row;
    const sequence = row.sequence + 1;
    await tx.query({
      name: 'unsubscribe-email',
      text: 'UPDATE emails SET sequence = $2, updated_at = greatest(updated_at, $3) WHERE id = $1',
      values: [row.id, sequence, at],
    });
    await outbox.append(tx, [eventOf(row, at, sequence)]);
    return row;
  }

  private async suppress(tx: Queryable, row: EmailOfRecipient, at: Date): Promise<boolean> {
    const sender = { accountId: row.account_id, id: row.domain_id, name: domainOf(row.sender_address) };
    return this.suppressions.add(tx, {
      accountId: row.account_id,
      address: normaliseAddress(row.address),
      domainId: await domainSuppressions.idOf(tx, sender),
      origin: 'unsubscribe',
      reason: 'unsubscribe',
      sourceId: row.id,
      evidence: {
        email_id: row.id,
        recipient: row.address,
        smtp_code: null,
        enhanced_code: null,
        text: null,
        mx: null,
        feedback_type: null,
        at: at.toISOString(),
      },
    });
  }
}

const toUnsubscription = ({ sender_address, address }: EmailOfRecipient): Unsubscription => ({
  sender: domainOf(sender_address),
  address,
});

function eventOf(row: EmailOfRecipient, at: Date, sequence: number) {
  const added = { unsubscribed_at: at.toISOString() };
  return emailEvent(emailInfoOf(row), { type: 'email.unsubscribed', recipient: row.address, sequence, at, added });
}
