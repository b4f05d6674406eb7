import { Injectable } from '@nestjs/common';
import { DeliveryWishes } from '#libs/domains';
import { Config } from '#libs/kernel';
import type { CourierJob } from '#libs/mta';
import type { DeliveryJob } from './ledger/delivery-job.js';
import { NOTICE_TAG } from './notices/operator-mail.js';
import { ReturnPath } from './return-path.js';

/** What a mail's sending domain asks of the way that it goes out. */
@Injectable()
export class OutgoingEnvelope {
  private readonly postmaster: string;

  constructor(
    private readonly returnPath: ReturnPath,
    private readonly wishes: DeliveryWishes,
    config: Config,
  ) {
    this.postmaster = `postmaster@${config.settings.SERVICE_DOMAIN}`;
  }

  /**
   * The address in MAIL FROM: below the sending domain as long as that name leads to us, which aligns SPF; else below ours.
   * @throws what the database throws.
   */
  async of({
    mail,
    recipients,
  }: Pick<DeliveryJob, 'mail' | 'recipients'>): Promise<Pick<CourierJob, 'mailFrom' | 'tls'>> {
    const { returnPathOf, tls } = await this.wishes.of(mail.accountId, mail.domainId);
    const mailFrom = this.returnPath.address(mail.id, recipients[0].ordinal, returnPathOf);
    return { mailFrom, tls: this.isTlsReport(mail) ? 'unconditional' : tls };
  }

  /** Nobody else can have this sender: the service's own domain is active in the operator's account. */
  private isTlsReport({ tags, sender }: DeliveryJob['mail']): boolean {
    return tags[NOTICE_TAG] === 'tls_report' && sender === this.postmaster;
  }
}
