import { Injectable } from '@nestjs/common';
import { DeliveryWishes } from '#libs/domains';
import type { DeliveryJob } from './ledger/delivery-job.js';
import { ReturnPath } from './return-path.js';

/** The address in MAIL FROM: below the sending domain as long as that name leads to us, which aligns SPF; else below ours. */
@Injectable()
export class EnvelopeSender {
  constructor(
    private readonly returnPath: ReturnPath,
    private readonly wishes: DeliveryWishes,
  ) {}

  /** @throws what the database throws. */
  async of({ mail, recipients }: Pick<DeliveryJob, 'mail' | 'recipients'>): Promise<string> {
    const { returnPathOf } = await this.wishes.of(mail.accountId, mail.domainId);
    return this.returnPath.address(mail.id, recipients[0].ordinal, returnPathOf);
  }
}
