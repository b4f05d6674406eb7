import type { Database } from '#libs/persistence';

/** First half of the advisory lock key of a consumer; the second is a hash of its name. */
const CONSUMER_LOCKS = 730_511_903;

/**
 * The right to move one consumer's position: a session advisory lock on a connection of its own. The position is stored
 * through that same connection, so an instance that lost the lock cannot store; the compare-and-set is the second belt.
 */
export class PositionLease {
  /** Everything up to here is handled. */
  position = 0;
  private brokenBy: Error | undefined;

  private constructor(
    private readonly consumer: string,
    private readonly session: Awaited<ReturnType<Database['session']>>,
  ) {
    const broken = (error: Error) => {
      this.brokenBy ??= error;
    };
    session.client.on('error', broken);
    session.client.on('end', () => broken(new Error('the connection that holds the position was closed')));
  }

  static async open(database: Database, consumer: string): Promise<PositionLease> {
    const lease = new PositionLease(consumer, await database.session());
    try {
      // A stored position that a crash of the database loses only repeats a batch; it is not worth a disk flush.
      await lease.session.query('SET synchronous_commit = off');
      await lease.session.query(
        'INSERT INTO consumer_positions (consumer, position) VALUES ($1, 0) ON CONFLICT DO NOTHING',
        [consumer],
      );
      return lease;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  /** Takes the lock if it is free and reads the position; false while another instance has it. */
  async take(): Promise<boolean> {
    const lock = await this.session.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken',
      [CONSUMER_LOCKS, this.consumer],
    );
    if (!lock.rows[0].taken) return false;
    // In a statement of its own, so that it sees what the previous holder stored.
    const { rows } = await this.session.query<{ position: string }>(
      'SELECT position FROM consumer_positions WHERE consumer = $1',
      [this.consumer],
    );
    if (rows.length === 0) throw new Error(`the position of consumer ${this.consumer} was deleted`);
    this.position = Number(rows[0].position);
    return true;
  }

  /** @throws when the connection that holds the lock is gone: somebody else may be the owner by now. */
  check(): void {
    if (this.brokenBy) throw this.brokenBy;
  }

  /** @throws when the position was changed by somebody else, or the connection is gone. */
  async advance(to: number): Promise<void> {
    const { rowCount } = await this.session.query({
      name: 'bus-position-advance',
      text: 'UPDATE consumer_positions SET position = $3, updated_at = now() WHERE consumer = $1 AND position = $2',
      values: [this.consumer, this.position, to],
    });
    if (rowCount !== 1) throw new Error(`the position of consumer ${this.consumer} was moved by somebody else`);
    this.position = to;
  }

  /** Closes the connection, which frees the lock. */
  release(): void {
    this.session.release();
  }
}
