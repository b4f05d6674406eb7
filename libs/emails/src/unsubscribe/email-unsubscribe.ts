import { Injectable } from '@nestjs/common';
import { Config, Wakeups } from '#libs/kernel';
import { domainOf, normaliseAddress } from '#libs/mime';
import { appendEvents, Database, retriedTransaction, type Queryable } from '#libs/persistence';
import { listedUnder, SuppressionList } from '#libs/suppressions';
import { emailEvent } from '../email-events.js';
import { mailFactsOf, type MailFactsRow } from '../mail-facts-row.js';
import type { TokenName } from '../mail-token.js';
import { isSimulated } from '../simulator.js';
import { UnsubscribeLink } from './unsubscribe-link.js';

/** What a link tells the person who opens it: whose mail stops, and to whom. */
export interface Unsubscription {
  /** The sending domain. */
  sender: string;
  address: string;
}

interface Row extends MailFactsRow {
  sender_address: string;
  sequence: number;
  address: string;
}

const COLUMNS = `e.id, e.account_id, e.domain_id, e.mode, e.sender, e.sender_address, e.header_to, e.subject, e.tags,
  e.message_id, e.created_at, e.sequence, r.address`;

/**
 * Recipients who take themselves off the list of a sending domain. Whoever holds the token is who may do it: there is no
 * account that asks, and the token's MAC says that the mail is ours.
 */
@Injectable()
export class EmailUnsubscribe {
  constructor(
    private readonly database: Database,
    private readonly link: UnsubscribeLink,
    private readonly suppressions: SuppressionList,
    private readonly wakeups: Wakeups,
    private readonly config: Config,
  ) {}

  /** Changes nothing. Null for a link that is not ours, or whose mail retention has removed. */
  async find(token: string): Promise<Unsubscription | null> {
    const name = this.link.read(token);
    const row = name && (await this.read(this.database, name));
    return row && present(row);
  }

  /**
   * No mail of this sending domain goes to the recipient from now on. Any number of times: told once, unless the address
   * had been taken off the list in between. A simulated recipient is told of but put on no list (D-50, D-66).
   */
  async unsubscribe(token: string): Promise<Unsubscription | null> {
    const name = this.link.read(token);
    return name && this.take(name);
  }

  /** The same for a recipient who said so in another way; the caller knows that it was he. */
  async take(name: TokenName): Promise<Unsubscription | null> {
    const row = await retriedTransaction(this.database, (tx) => this.write(tx, name));
    if (row) this.wakeups.ring('outbox');
    return row && present(row);
  }

  private async write(tx: Queryable, name: TokenName): Promise<Row | null> {
    const row = await this.read(tx, name, 'FOR NO KEY UPDATE OF e');
    if (row === null) return null;
    const at = new Date();
    const { rowCount } = await tx.query({
      name: 'unsubscribe-recipient',
      text: 'UPDATE recipients SET unsubscribed_at = $3 WHERE email_id = $1 AND ordinal = $2 AND unsubscribed_at IS NULL',
      values: [name.emailId, name.ordinal, at],
    });
    const added =
      !isSimulated({ test: row.mode === 'test' }, row.address, this.config) && (await this.suppress(tx, row, at));
    if (rowCount === 0 && !added) return row;
    const sequence = row.sequence + 1;
    await tx.query({
      name: 'unsubscribe-mail',
      text: 'UPDATE emails SET sequence = $2, updated_at = greatest(updated_at, $3) WHERE id = $1',
      values: [row.id, sequence, at],
    });
    await appendEvents(tx, [eventOf(row, at, sequence)]);
    return row;
  }

  private async suppress(tx: Queryable, row: Row, at: Date): Promise<boolean> {
    const sender = { accountId: row.account_id, id: row.domain_id, name: domainOf(row.sender_address) };
    return this.suppressions.add(tx, {
      accountId: row.account_id,
      address: normaliseAddress(row.address),
      domainId: await listedUnder(tx, sender),
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

  private async read(db: Queryable, { emailId, ordinal }: TokenName, lock = ''): Promise<Row | null> {
    const { rows } = await db.query<Row>(
      `SELECT ${COLUMNS} FROM emails e JOIN recipients r ON r.email_id = e.id AND r.ordinal = $2 WHERE e.id = $1 ${lock}`,
      [emailId, ordinal],
    );
    return rows[0] ?? null;
  }
}

const present = ({ sender_address, address }: Row): Unsubscription => ({ sender: domainOf(sender_address), address });

function eventOf(row: Row, at: Date, sequence: number) {
  const added = { unsubscribed_at: at.toISOString() };
  return emailEvent(mailFactsOf(row), { type: 'email.unsubscribed', recipient: row.address, sequence, at, added });
}
