import { randomBytes } from 'node:crypto';
import type { DeliveryJob } from '#libs/emails';
import { backoffMs, sleep, withTimeout, type Config, type Log, type Shutdown } from '#libs/kernel';
import { GroupCommit } from '#libs/persistence';
import { frames, openStore, type Appender, type ObjectStore } from '#libs/storage';

/** A claim of a recipient: its email, its number, and the fence of the claim. There is at most one attempt for each. */
export type JournaledAttempt = [emailId: string, ordinal: number, fence: number];

/** One record: attempts that begin, and attempts that ended without a final outcome. */
export interface AttemptRecord {
  begun: JournaledAttempt[];
  ended: JournaledAttempt[];
}

/** The folder of these records in the place of the journal. */
export const ATTEMPTS_FOLDER = 'attempts/';

const RECORD_JOBS = 500;
/** Ends of attempts are written at most this late. */
const ENDED_MS = 500;
/** How long a connection waits for the record of its attempt. */
const BEGIN_MS = 5_000;
/** A file of records that is older or larger is followed by a new one, so that old ones can be deleted. */
const FILE_MS = 3_600_000;
const FILE_BYTES = 32 * 1024 * 1024;
const ATTEMPTS_BEFORE_LOG = 2;

/**
 * The part of the delivery journal that says which recipients may be in flight: MAIL is sent only after the record of its
 * attempt survives the loss of the database. Attempts that begin together share a record. Without BACKUP_JOURNAL it does
 * nothing.
 */
export class AttemptJournal {
  private readonly writer = randomBytes(6).toString('hex');
  private readonly group: GroupCommit<JournaledAttempt[], void>;
  private readonly closing = new AbortController();
  /** Attempts that have begun and not ended, as text. */
  private readonly open = new Set<string>();
  private endedAttempts: JournaledAttempt[] = [];
  private timer: NodeJS.Timeout | undefined;
  private file: { appender: Appender; openedAt: number; bytes: number } | undefined;
  private files = 0;
  private failures = 0;

  private constructor(
    private readonly store: ObjectStore | null,
    private readonly log: Log,
  ) {
    this.group = new GroupCommit({
      commit: async (attempts): Promise<void[]> => {
        await this.write({ begun: attempts.flat(), ended: this.endedAttempts.splice(0) });
        return attempts.map(() => undefined);
      },
      maxItems: RECORD_JOBS,
    });
  }

  static async open({ settings }: Config, log: Log, shutdown: Shutdown): Promise<AttemptJournal> {
    const { BACKUP_JOURNAL, S3_ENDPOINT: endpoint, S3_REGION: region } = settings;
    const store = BACKUP_JOURNAL === undefined ? null : await openStore(BACKUP_JOURNAL, { endpoint, region });
    const journal = new AttemptJournal(store, log);
    if (store !== null) shutdown.on('store', 'attempt journal', () => journal.close());
    return journal;
  }

  /** False while records cannot be written: no further message should come to delivery. */
  get isWritten(): boolean {
    return this.failures === 0;
  }

  /** Records that an attempt begins. False if that could not be done in time: the attempt must not begin. */
  begin(job: DeliveryJob): boolean | Promise<boolean> {
    if (this.store === null) return true;
    const attempts = attemptsOf(job);
    for (const attempt of attempts) this.open.add(String(attempt));
    return withTimeout(
      this.group.add(attempts).then(() => true),
      BEGIN_MS,
      () => false,
    ).catch(() => false);
  }

  /** Notes that recipients may be attempted again, if an attempt of theirs had begun. Written within half a second. */
  end(attempts: readonly JournaledAttempt[]): void {
    const ended = attempts.filter((attempt) => this.open.delete(String(attempt)));
    if (ended.length === 0) return;
    this.endedAttempts.push(...ended);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // A failure is repeated with the next attempt.
      this.group.add([]).catch(() => undefined);
    }, ENDED_MS);
  }

  /** Forgets attempts with a final outcome, which the event log tells. */
  settle(attempts: readonly JournaledAttempt[]): void {
    for (const attempt of attempts) this.open.delete(String(attempt));
  }

  private async write(record: AttemptRecord): Promise<void> {
    if (record.begun.length + record.ended.length === 0) return;
    const bytes = await frames.encode(JSON.stringify(record));
    for (;;) {
      try {
        await (await this.currentFile()).append(bytes);
        if (this.file !== undefined) this.file.bytes += bytes.length;
        if (this.failures > 0) this.log.info('the delivery journal is written again');
        this.failures = 0;
        return;
      } catch (error) {
        // What a file contains after an error is unknown: its last record may be torn.
        await this.file?.appender.close().catch(() => undefined);
        this.file = undefined;
        this.failures += 1;
        if (this.failures === ATTEMPTS_BEFORE_LOG)
          this.log.error('the delivery journal cannot be written, so deliveries wait', {
            reason: (error as Error).message,
          });
        if (this.closing.signal.aborted) throw error;
        await sleep(backoffMs(this.failures), this.closing.signal);
      }
    }
  }

  private async currentFile(): Promise<Appender> {
    const now = Date.now();
    const { file } = this;
    if (file !== undefined && now - file.openedAt < FILE_MS && file.bytes < FILE_BYTES) return file.appender;
    await file?.appender.close();
    this.file = undefined;
    this.files += 1;
    const time = new Date(now).toISOString().replace(/[-:.]/g, '');
    const appender = await (this.store as ObjectStore).appender(
      `${ATTEMPTS_FOLDER}${time}-${this.writer}-${this.files}`,
    );
    this.file = { appender, openedAt: now, bytes: 0 };
    return appender;
  }

  private async close(): Promise<void> {
    clearTimeout(this.timer);
    this.closing.abort();
    if (this.endedAttempts.length > 0) await this.group.add([]).catch(() => undefined);
    await this.file?.appender.close();
    this.store?.close();
  }
}

export const attemptsOf = ({ email, recipients }: DeliveryJob): JournaledAttempt[] =>
  recipients.map(({ ordinal, fence }) => [email.id, ordinal, fence]);
