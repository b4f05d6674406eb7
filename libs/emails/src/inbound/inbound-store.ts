import { Injectable } from '@nestjs/common';
import { lowestIdAt, newId } from '#libs/contracts';
import { printableText } from '#libs/mta';
import { Database } from '#libs/persistence';

/** A mail of the operator's inbox, without its bytes. */
export interface StoredInbound {
  id: string;
  received_at: string;
  /** Envelope sender; empty for the null sender. */
  mail_from: string;
  rcpt_to: string[];
  remote_ip: string;
  subject: string | null;
  /** What became of it, and why. */
  verdict: string;
  note: string | null;
  /** The mail that it speaks of, where that is known. */
  email_id: string | null;
  size: number;
}

export interface NewInbound extends Omit<StoredInbound, 'id' | 'received_at' | 'size'> {
  message: Buffer;
}

const KEPT_DAYS = 30;
const KEPT_MAILS = 10_000;
const KEPT_BYTES = 512 * 1024 * 1024;
const DAY_MS = 86_400_000;
/** A flood must not wait for the next upkeep: after so much it is made room for at once. */
const BURST_MAILS = 1_000;
const BURST_BYTES = 64 * 1024 * 1024;
const COLUMNS = 'id, received_at, mail_from, rcpt_to, remote_ip, subject, verdict, note, email_id, size';

/** Ids are in order of time: the newest come first, and what lies beyond a bound is older than all that does not. */
const CROWDED = `
  DELETE FROM inbound_mails WHERE id <= (
    SELECT max(id) FROM (SELECT id, row_number() OVER newest AS place, sum(size) OVER newest AS bytes
                           FROM inbound_mails WINDOW newest AS (ORDER BY id DESC)) AS counted
     WHERE place > $1 OR bytes > $2)`;

/** Mail of the inbound door that is for people (D-64): to role addresses, and what no program could make anything of. */
@Injectable()
export class InboundStore {
  private mails = 0;
  private bytes = 0;

  constructor(private readonly database: Database) {}

  /** Resolves when it is on disk. Never refused for want of room: the oldest make way. */
  async keep(mail: NewInbound): Promise<string> {
    const { mail_from, rcpt_to, remote_ip, subject, verdict, note, email_id, message } = mail;
    const id = newId('inb');
    await this.database.query(
      `INSERT INTO inbound_mails (${COLUMNS}, raw) VALUES ($1, now(), $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        id,
        printableText(mail_from),
        rcpt_to.map((address) => printableText(address)),
        remote_ip,
        subject === null ? null : printableText(subject),
        verdict,
        note,
        email_id,
        message.length,
        message,
      ],
    );
    this.mails += 1;
    this.bytes += message.length;
    if (this.mails >= BURST_MAILS || this.bytes >= BURST_BYTES) await this.prune();
    return id;
  }

  /** Newest first. */
  async list(limit: number): Promise<StoredInbound[]> {
    const { rows } = await this.database.query<Omit<StoredInbound, 'received_at'> & { received_at: Date }>(
      `SELECT ${COLUMNS} FROM inbound_mails ORDER BY id DESC LIMIT $1`,
      [limit],
    );
    return rows.map((row) => ({ ...row, received_at: row.received_at.toISOString() }));
  }

  /** The exact bytes; null when there is no such mail. */
  async raw(id: string): Promise<Buffer | null> {
    const { rows } = await this.database.query<{ raw: Buffer }>('SELECT raw FROM inbound_mails WHERE id = $1', [id]);
    return rows[0]?.raw ?? null;
  }

  /** False when there is no such mail. */
  async remove(id: string): Promise<boolean> {
    return (await this.database.query('DELETE FROM inbound_mails WHERE id = $1', [id])).rowCount > 0;
  }

  /** Keeps the newest 10,000 mails of the last 30 days, 512 MiB of them. Returns how many went. */
  async prune(now = new Date()): Promise<number> {
    this.mails = 0;
    this.bytes = 0;
    const before = lowestIdAt('inb', new Date(now.getTime() - KEPT_DAYS * DAY_MS));
    const aged = await this.database.query('DELETE FROM inbound_mails WHERE id < $1', [before]);
    const crowded = await this.database.query(CROWDED, [KEPT_MAILS, KEPT_BYTES]);
    return aged.rowCount + crowded.rowCount;
  }
}
