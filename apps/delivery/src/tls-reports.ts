import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Log, Shutdown } from '#libs/kernel';
import { TlsReporter, TlsResults } from '#libs/tls-reports';

const FLUSH_MS = 5_000;
const ROUND_MS = 5 * 60_000;

/** Writes the TLS session counts to the database and sends the reports of the previous day (RFC 8460). */
@Injectable()
export class TlsReports implements OnApplicationBootstrap {
  private timers: NodeJS.Timeout[] = [];
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly results: TlsResults,
    private readonly reporter: TlsReporter,
    private readonly log: Log,
    shutdown: Shutdown,
  ) {
    shutdown.on('work', 'TLS reports', () => this.stop());
    // After the last delivery has been counted.
    shutdown.on('flush', 'TLS results', () => this.flush());
  }

  onApplicationBootstrap(): void {
    this.timers = [
      setInterval(() => void this.flush(), FLUSH_MS),
      setInterval(() => {
        this.running = this.running.then(() => this.round());
      }, ROUND_MS),
    ];
  }

  private async flush(): Promise<void> {
    await this.attempt('writing TLS results failed', () => this.results.flush());
  }

  private async round(): Promise<void> {
    await this.attempt('sending TLS reports failed', async () => {
      await this.reporter.prune();
      while (this.timers.length > 0 && (await this.reporter.round()) > 0);
    });
  }

  private async attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.log.warn(failure, { reason: (error as Error).message });
    }
  }

  private async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    await this.running;
  }
}
