import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DeliveryPolicies } from '#libs/domains';
import { Config, Log, Poller, Shutdown } from '#libs/kernel';
import { Database, Lease, Worker } from '#libs/persistence';
import { AcmeAuthority, AuthorityProblem } from './acme-authority.js';
import { certificateHosts } from './certificate-hosts.js';
import { CertificateStore } from './certificate-store.js';
import { retryDelay } from './renewal-schedule.js';

const POLL_MS = 10_000;

/** Orders certificates that are missing or end soon. One program at a time does, under a lease. */
@Injectable()
export class CertificateRenewal implements OnApplicationBootstrap {
  private readonly lease: Lease;
  private readonly poller: Poller;
  private isStopping = false;

  constructor(
    private readonly store: CertificateStore,
    private readonly authority: AcmeAuthority,
    private readonly policies: DeliveryPolicies,
    private readonly config: Config,
    private readonly log: Log,
    private readonly shutdown: Shutdown,
    database: Database,
    worker: Worker,
  ) {
    this.lease = new Lease(database, worker, 'certificates');
    this.poller = new Poller({ name: 'certificates', pollMs: POLL_MS, round: () => this.round() }, log);
  }

  onApplicationBootstrap(): void {
    if (!this.config.settings.ACME_TERMS_AGREED) return;
    this.shutdown.on('work', 'certificates', () => {
      this.isStopping = true;
      return this.poller.stop();
    });
    this.poller.start();
  }

  /** One look at what is due. Always false: an order that fails is not due again at once. */
  async round(): Promise<boolean> {
    await this.store.want(certificateHosts(this.config, await this.policies.trackingHosts()));
    if ((await this.store.due()).length === 0 || !(await this.lease.take())) return false;
    try {
      // Again, because another program may have ordered since.
      for (const host of await this.store.due()) {
        this.lease.held();
        if (!this.isStopping) await this.renew(host);
      }
    } finally {
      await this.lease.release();
    }
    return false;
  }

  private async renew(host: string): Promise<void> {
    try {
      const files = await this.authority.order(host);
      this.lease.held();
      await this.store.store(host, files);
      this.log.info('a certificate was issued', { host });
    } catch (error) {
      const retryAfterMs = error instanceof AuthorityProblem ? error.retryAfterMs : 0;
      const reason = sentenceOf(error, this.config.settings.ACME_DIRECTORY_URL);
      const failures = await this.store.fail(host, reason, (count) => retryDelay(count, retryAfterMs));
      this.log.warn('no certificate was issued', { host, reason, failures });
    }
  }
}

/** One sentence for the operator: the detail of the authority, or why it cannot be reached. */
export function sentenceOf(error: unknown, directoryUrl: string): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  const text = (message || errors?.[0]?.message || code || 'unknown error').replace(/\s+/g, ' ').trim();
  if (code === undefined) return text;
  return `The authority at ${new URL(directoryUrl).host} cannot be reached: ${text}`;
}
