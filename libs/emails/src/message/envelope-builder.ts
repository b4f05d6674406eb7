import { Injectable } from '@nestjs/common';
import { DeliveryPolicies } from '#libs/domains';
import { Config } from '#libs/kernel';
import type { Envelope } from '#libs/mta';
import type { DeliveryJob } from './delivery-job.js';
import { NOTICE_TAG } from './system-mail-kinds.js';
import { ReturnPath, transactionOf } from './return-path.js';

/** Builds the parts of the envelope that depend on the sending domain. */
@Injectable()
export class EnvelopeBuilder {
  private readonly postmaster: string;

  constructor(
    private readonly returnPath: ReturnPath,
    private readonly wishes: DeliveryPolicies,
    config: Config,
  ) {
    this.postmaster = `postmaster@${config.settings.SERVICE_DOMAIN}`;
  }

  /**
   * The return path is below the sending domain while that name points to this service, which aligns SPF; otherwise
   * below the service domain.
   * @throws database errors.
   */
  async build(job: Pick<DeliveryJob, 'email' | 'recipients'>): Promise<Pick<Envelope, 'mailFrom' | 'tls'>> {
    const { email } = job;
    const { returnPathOf, tls } = await this.wishes.of(email.accountId, email.domainId);
    const mailFrom = this.returnPath.address(transactionOf(job), returnPathOf);
    return { mailFrom, tls: this.isTlsReport(email) ? 'unconditional' : tls };
  }

  /** No other account can use this sender: the service domain is active in the operator's account. */
  private isTlsReport({ tags, sender }: DeliveryJob['email']): boolean {
    return tags[NOTICE_TAG] === 'tls_report' && sender === this.postmaster;
  }
}
