import { lowestIdAt, Refusal, timeOfId } from '#libs/contracts';
import type { Log } from '#libs/kernel';
import type { Database, Queryable } from '#libs/persistence';
import type { DeliveryJob, StoredContent } from '../delivery-job.js';
import { checksumOf, ContentUnavailable, segmentDay, type ContentRef, type SegmentStore } from './segment-store.js';

/** A row of `email_contents`: with its body, or with the place where it is. */
export type ContentRow = Pick<StoredContent, 'format'> &
  ({ body: Buffer; segment: null } | ({ body: null } & ContentRef));

/** Columns of `ContentRow`, of the table or an alias of it. */
export const CONTENT_COLUMNS = (table: string): string =>
  ['format', 'body', 'segment', 'position', 'bytes', 'checksum'].map((name) => `${table}.${name}`).join(', ');

/** With the contents, the order to erase them outside of the database, in the same transaction. */
const DELETE = `
  WITH deleted AS (DELETE FROM email_contents WHERE email_id = ANY ($1) RETURNING segment, position, bytes, checksum),
       orders AS (INSERT INTO content_erasures (segment, position, bytes, checksum)
                  SELECT segment, position, bytes, checksum FROM deleted WHERE segment IS NOT NULL)
  SELECT count(*)::int AS count FROM deleted`;
/** Orders that are read at once. */
const ORDERS = 1_000;
/** Contents that are copied into the database at once, when their day ends before they are delivered. */
const COPIED = 20;
/** Contents that are read from a store at the same time. */
const READ_TOGETHER = 16;
const DAY_MS = 86_400_000;

/** Deletes the contents of these emails; returns how many there were. */
export async function deleteContents(tx: Queryable, emailIds: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(DELETE, [emailIds]);
  return rows[0].count;
}

/** For programs that write few emails: into the database, as `CONTENT_STORE=postgres` does. */
export const contentsInDatabase = (database: Database, log: Log): StoredContents =>
  new StoredContents(database, log, new Map(), 'postgres');

/**
 * The contents of emails, where `CONTENT_STORE` says: in the database, or in segments outside, to which its rows point.
 * Contents of a store that was used before stay readable while its settings are given.
 */
export class StoredContents {
  private readonly target: SegmentStore | null;

  private isFailing = false;

  /** @param stores by kind, the first part of the name of a segment */
  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly stores: ReadonlyMap<string, SegmentStore>,
    target: string,
  ) {
    this.target = stores.get(target) ?? null;
  }

  /** Stores bodies outside of the database, before their emails are committed; null if they belong into it. */
  async place(emails: readonly { id: string; content: StoredContent }[]): Promise<ContentRef[] | null> {
    if (this.target === null || emails.length === 0) return null;
    // Ids never go back, as the clock may: an email is never newer than the day of its segment.
    const newest = emails.reduce((newestId, { id }) => (id > newestId ? id : newestId), '');
    const bodies = emails.map(({ content }) => content.body);
    try {
      const places = await this.target.append(bodies, segmentDay(timeOfId(newest)));
      this.isFailing = false;
      return places;
    } catch (error) {
      if (!this.isFailing) this.log.error('contents cannot be stored', { reason: (error as Error).message });
      this.isFailing = true;
      throw error;
    }
  }

  /** Null once it is deleted. @throws Refusal `service_unavailable` */
  async ofJob({ email, content }: DeliveryJob): Promise<StoredContent | null> {
    return content ?? (await this.ofEmail(email.id));
  }

  private async ofEmail(emailId: string): Promise<StoredContent | null> {
    const { rows } = await this.database.query<ContentRow>({
      name: 'content-of-email',
      text: `SELECT ${CONTENT_COLUMNS('c')} FROM email_contents c WHERE email_id = $1`,
      values: [emailId],
    });
    return rows.length === 0 ? null : this.load(rows[0]);
  }

  /** Null: the content was erased. @throws Refusal `service_unavailable` */
  async load(row: ContentRow): Promise<StoredContent | null> {
    if (row.segment === null) return { format: row.format, body: row.body };
    try {
      const body = await this.storeOf(row.segment).read(row);
      if (checksumOf(body) === row.checksum) return { format: row.format, body };
      if (body.every((byte) => byte === 0)) return null;
      throw new ContentUnavailable(`the segment ${row.segment} has other contents`);
    } catch (error) {
      if (!(error instanceof ContentUnavailable)) throw error;
      this.log.warn('content cannot be read', { segment: row.segment, reason: error.message });
      throw new Refusal(
        'service_unavailable',
        [],
        'The content of the email cannot be read at present. Try again later.',
        60,
      );
    }
  }

  /** Erases outside of the database what was deleted in it; returns the number of contents. */
  async eraseDeleted(): Promise<number> {
    let erased = 0;
    // Orders that cannot be carried out now hold up no others.
    for (let last: Pick<ContentRef, 'segment' | 'position'> | undefined = { segment: '', position: 0 }; last;) {
      const { rows }: { rows: ContentRef[] } = await this.database.query<ContentRef>(
        `SELECT segment, position, bytes, checksum FROM content_erasures
          WHERE (segment, position) > ($1, $2) ORDER BY segment, position LIMIT ${ORDERS}`,
        [last.segment, last.position],
      );
      erased += await this.eraseAll(rows);
      last = rows.at(-1);
    }
    return erased;
  }

  private async eraseAll(rows: readonly ContentRef[]): Promise<number> {
    let erased = 0;
    for (const segment of new Set(rows.map((row) => row.segment))) {
      const refs = rows.filter((row) => row.segment === segment);
      const done = await this.storeOf(segment)
        .erase(segment, refs)
        .then(
          () => true,
          // A segment that is not uploaded yet, or a store that is away: the next round tries again.
          (error: unknown) => !(error instanceof ContentUnavailable) && Promise.reject(error as Error),
        );
      if (!done) continue;
      await this.database.query('DELETE FROM content_erasures WHERE segment = $1 AND position = ANY ($2)', [
        segment,
        refs.map(({ position }) => position),
      ]);
      erased += refs.length;
    }
    return erased;
  }

  /**
   * Deletes the segments of days before `before`, in every store. What an email that is still to be delivered needs is copied into
   * the database first.
   */
  async expire(before: Date): Promise<string[]> {
    const deleted: string[] = [];
    for (const [kind, store] of this.stores)
      for (const day of await store.days()) {
        const end = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
        if (end > before) break;
        try {
          await this.copyUsed(`${kind}/${day}/`, end);
        } catch (error) {
          // A content that cannot be read keeps its day, and no other.
          this.log.warn('contents of a day are kept', { day: `${kind}/${day}`, reason: (error as Error).message });
          continue;
        }
        await store.deleteDay(day);
        await this.database.query('DELETE FROM content_erasures WHERE segment ^@ $1', [`${kind}/${day}/`]);
        deleted.push(`${kind}/${day}`);
      }
    return deleted;
  }

  /** The names of all segments, in whatever store. Those of days that expire meanwhile may be left out. */
  async *segments(): AsyncGenerator<string> {
    for (const store of this.stores.values()) for (const day of await store.days()) yield* await store.segmentsOf(day);
  }

  /** A whole segment; null if its day has expired meanwhile. */
  async segment(name: string): Promise<Buffer | null> {
    const store = this.storeOf(name);
    const body = await store.copyOf(name).catch((error: Error) => error);
    if (!(body instanceof Error)) return body;
    const [, day] = name.split('/');
    if ((await store.days()).includes(day)) throw body;
    return null;
  }

  /** Stores a segment of a backup. @throws ContentUnavailable if the settings have no store of its kind */
  async restoreSegment(name: string, body: Buffer): Promise<void> {
    await this.storeOf(name).restore(name, body);
  }

  /** The bodies of emails, wherever they are. Contents that were erased are left out. */
  async ofEmails(emailIds: readonly string[]): Promise<({ email_id: string } & StoredContent)[]> {
    const { rows } = await this.database.query<ContentRow & { email_id: string }>(
      `SELECT c.email_id, ${CONTENT_COLUMNS('c')} FROM email_contents c WHERE email_id = ANY ($1)`,
      [emailIds],
    );
    const contents: ({ email_id: string } & StoredContent)[] = [];
    for (let at = 0; at < rows.length; at += READ_TOGETHER) {
      const read = rows.slice(at, at + READ_TOGETHER).map(async (row) => ({ row, content: await this.load(row) }));
      for (const { row, content } of await Promise.all(read))
        if (content !== null) contents.push({ email_id: row.email_id, ...content });
    }
    return contents;
  }

  private async copyUsed(day: string, end: Date): Promise<void> {
    for (;;) {
      const { rows } = await this.database.query<ContentRow & { email_id: string }>(
        `SELECT c.email_id, ${CONTENT_COLUMNS('c')} FROM email_contents c
          WHERE c.email_id < $1 AND c.segment ^@ $2 LIMIT ${COPIED}`,
        [lowestIdAt('em', end), day],
      );
      if (rows.length === 0) return;
      for (const row of rows) {
        const content = await this.load(row);
        if (content === null) await deleteContents(this.database, [row.email_id]);
        else
          await this.database.query(
            `UPDATE email_contents SET body = $2, segment = NULL, position = NULL, bytes = NULL, checksum = NULL
            WHERE email_id = $1`,
            [row.email_id, content.body],
          );
      }
    }
  }

  private storeOf(segment: string): SegmentStore {
    const kind = segment.slice(0, segment.indexOf('/'));
    const store = this.stores.get(kind);
    if (store === undefined) throw new ContentUnavailable(`the content is in ${kind}, which has no settings any more`);
    return store;
  }
}
