import { sleep, type Log, type Metrics } from '#libs/kernel';
import { Gauge } from 'prom-client';
import { diskOf } from '../host-resources.js';

const INTERVAL_MS = 1_000;
/** Bytes above the limit with which intake begins again, so that it does not alternate with every message. */
const RECOVERY_BYTES = 64 * 1024 ** 2;

/**
 * The free space of the embedded database's disk. Below the low-water mark the service accepts no new mail, while what is
 * left is enough to deliver and record the mail that it has.
 */
export class DiskSpace {
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private isLow = false;
  private freeBytes: number | undefined;

  /** @param folders whose file systems count; `lowWater` in bytes, 0 for no limit */
  constructor(
    private readonly options: { folders: readonly string[]; lowWater: number },
    private readonly log: Log,
  ) {}

  register(metrics: Metrics): void {
    const free = () => this.freeBytes;
    new Gauge({
      name: 'postloft_disk_free_bytes',
      help: 'Free bytes on the disk of the embedded database. Absent without one.',
      registers: [metrics.registry],
      collect() {
        const bytes = free();
        if (bytes === undefined) this.remove();
        else this.set(bytes);
      },
    });
  }

  /** Resolves after the first measurement. Without folders there is nothing to measure. */
  async start(): Promise<void> {
    if (this.options.folders.length === 0) return;
    await this.measure();
    this.loop ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  /** Why no mail is accepted; null: there is enough space. */
  problem(): string | null {
    if (!this.isLow) return null;
    return `the disk has less than ${mebibytes(this.options.lowWater)} MiB free (DISK_LOW_WATER)`;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await sleep(INTERVAL_MS, this.stopping.signal);
      await this.measure();
    }
  }

  private async measure(): Promise<void> {
    try {
      const disks = await Promise.all(this.options.folders.map(diskOf));
      this.freeBytes = Math.min(...disks.map(({ freeBytes }) => freeBytes));
    } catch (error) {
      this.log.warn('the free disk space cannot be read', { reason: (error as Error).message });
      return;
    }
    const { lowWater } = this.options;
    const isLow = this.freeBytes < (this.isLow ? lowWater + RECOVERY_BYTES : lowWater);
    if (isLow === this.isLow) return;
    this.isLow = isLow;
    const fields = { freeMiB: mebibytes(this.freeBytes), lowWaterMiB: mebibytes(lowWater) };
    if (isLow)
      this.log.error('the disk is nearly full: no mail is accepted until there is space again', undefined, fields);
    else this.log.warn('the disk has space again: mail is accepted', fields);
  }
}

const mebibytes = (bytes: number): number => Math.floor(bytes / 1024 ** 2);
