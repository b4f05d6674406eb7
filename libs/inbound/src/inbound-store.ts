import { Injectable } from '@nestjs/common';
import { lowestIdAt, newId, type AddressErasure } from '#libs/contracts';
import { printableText } from '#libs/mta';
import { Database } from '#libs/persistence';
import { databaseClock } from '#libs/kernel';

/** A message stored for the operator, without its content. */
export interface StoredInboundMessage {
  id: string;
  received_at: string;
  /** Envelope sender; empty for the null sender. */
  mail_from: string;
  rcpt_to: string[];
  remote_ip: string;
  /** The name in HELO or EHLO. */
  helo: string;
  subject: string | null;
  /** The result of processing, and the reason. */
  verdict: string;
  note: string | null;
  /** The addresses that the report names. */
  reported: string[];
  /** The email that the message is about, if known. */
  email_id: string | null;
  size: number;
}

export interface NewInboundMessage extends Omit<StoredInboundMessage, 'id' | 'received_at' | 'size'> {
  message: Buffer;
}

/** The columns that may contain an address of a recipient. */
type Erasable = Pick<StoredInboundMessage, 'id' | 'mail_from' | 'rcpt_to' | 'subject' | 'note' | 'reported'>;

const KEPT_DAYS = 30;
const KEPT_MESSAGES = 10_000;
const KEPT_BYTES = 512 * 1024 * 1024;
const DAY_MS = 86_400_000;
/** Under a flood, old messages are deleted at once instead of by the next retention run. */
const BURST_MESSAGES = 1_000;
const BURST_BYTES = 64 * 1024 * 1024;
const COLUMNS =
  'id, received_at, mail_from, rcpt_to, remote_ip, helo, subject, verdict, note, reported, email_id, size';
/** Addresses of a report that are stored, and characters of each and of the HELO name. */
const REPORTED = 100;
const NAME_LENGTH = 320;

/** Ids are in order of time, so every message beyond a limit is older than all messages within it. */
const DELETE_EXCESS = `
  DELETE FROM inbound_messages WHERE id <= (
    SELECT max(id) FROM (SELECT id, row_number() OVER newest AS place, sum(size) OVER newest AS bytes
                           FROM inbound_messages WINDOW newest AS (ORDER BY id DESC)) AS counted
     WHERE place > $1 OR bytes > $2)`;

/** Inbound messages for the operator: messages to role mailboxes and messages that could not be processed. */
@Injectable()
export class InboundStore {
  private newMessages = 0;
  private newBytes = 0;

  constructor(private readonly database: Database) {}

  /**
   * Resolves when the message is committed. It is never rejected for lack of space: the oldest messages are deleted.
   */
  async keep(inbound: NewInboundMessage): Promise<string> {
    const { mail_from, rcpt_to, remote_ip, helo, subject, verdict, note, reported, email_id, message } = inbound;
    const id = newId('inb');
    await this.database.query(
      `INSERT INTO inbound_messages (${COLUMNS}, raw) VALUES ($1, now(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        id,
        printableText(mail_from),
        rcpt_to.map((address) => printableText(address)),
        remote_ip,
        printableText(helo).slice(0, NAME_LENGTH),
        subject === null ? null : printableText(subject),
        verdict,
        note,
        reported.slice(0, REPORTED).map((address) => printableText(address).slice(0, NAME_LENGTH)),
        email_id,
        message.length,
        message,
      ],
    );
    this.newMessages += 1;
    this.newBytes += message.length;
    if (this.newMessages >= BURST_MESSAGES || this.newBytes >= BURST_BYTES) await this.prune();
    return id;
  }

  /** Newest first; null: of any verdict. */
  async list(limit: number, verdict: string | null = null): Promise<StoredInboundMessage[]> {
    const { rows } = await this.database.query<Omit<StoredInboundMessage, 'received_at'> & { received_at: Date }>(
      `SELECT ${COLUMNS} FROM inbound_messages WHERE $2::text IS NULL OR verdict = $2 ORDER BY id DESC LIMIT $1`,
      [limit, verdict],
    );
    return rows.map((row) => ({ ...row, received_at: row.received_at.toISOString() }));
  }

  /** The exact bytes; null if there is no such message. */
  async raw(id: string): Promise<Buffer | null> {
    const { rows } = await this.database.query<{ raw: Buffer }>('SELECT raw FROM inbound_messages WHERE id = $1', [id]);
    return rows[0]?.raw ?? null;
  }

  /** Returns false if there is no such message. */
  async remove(id: string): Promise<boolean> {
    return (await this.database.query('DELETE FROM inbound_messages WHERE id = $1', [id])).rowCount > 0;
  }

  /**
   * Erases an address from the reports about these emails, and deletes the text of the reports: it quotes the message.
   * Returns the number of reports.
   */
  async erase(emailIds: readonly string[], erasure: AddressErasure): Promise<number> {
    const { rows } = await this.database.query<Erasable>(
      'SELECT id, mail_from, rcpt_to, subject, note, reported FROM inbound_messages WHERE email_id = ANY($1::text[])',
      [emailIds],
    );
    for (const { id, ...texts } of rows) {
      const erased = erasure.rewriteJson(texts);
      await this.database.query(
        `UPDATE inbound_messages SET mail_from = $2, rcpt_to = $3, subject = $4, note = $5, reported = $6, raw = ''
          WHERE id = $1`,
        [id, erased.mail_from, erased.rcpt_to, erased.subject, erased.note, erased.reported],
      );
    }
    return rows.length;
  }

  /** Keeps the newest 10,000 messages of the last 30 days, at most 512 MiB. Returns the number of deleted messages. */
  async prune(now = databaseClock.date()): Promise<number> {
    this.newMessages = 0;
    this.newBytes = 0;
    const before = lowestIdAt('inb', new Date(now.getTime() - KEPT_DAYS * DAY_MS));
    const expired = await this.database.query('DELETE FROM inbound_messages WHERE id < $1', [before]);
    const excess = await this.database.query(DELETE_EXCESS, [KEPT_MESSAGES, KEPT_BYTES]);
    return expired.rowCount + excess.rowCount;
  }
}
