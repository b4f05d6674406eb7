import { Injectable } from '@nestjs/common';
import { DeliveryWishes } from '#libs/domains';
import { Config, Log, Metrics } from '#libs/kernel';
import type { CourierJob, CourierOptions } from '#libs/mta';
import { Gauge } from 'prom-client';
import type { DeliveryJob } from '../ledger/delivery-job.js';
import { NOTICE_TAG } from '../notices/operator-mail.js';
import { TlsResults } from '../tls-reports/tls-results.js';
import { KeptStsPolicies } from './kept-sts-policies.js';
import { stsFetch } from './sts-fetch.js';

/** What the courier needs for the security of its connections: where policies are kept, who counts, what a mail's domain asks. */
@Injectable()
export class OutgoingTls {
  private readonly daneOn: Gauge;

  constructor(
    private readonly policies: KeptStsPolicies,
    private readonly results: TlsResults,
    private readonly wishes: DeliveryWishes,
    private readonly config: Config,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.daneOn = new Gauge({
      name: 'postloft_dane_on',
      help: '1 when TLSA records are looked for: the first name server is on this machine and checks signatures',
      registers: [metrics.registry],
    });
  }

  options(): Pick<CourierOptions, 'sts' | 'dane' | 'onTls'> {
    return {
      sts: { store: this.policies, fetch: stsFetch(this.config) },
      dane: {
        mode: this.config.settings.DANE,
        onState: ({ on, text }) => {
          this.daneOn.set(on ? 1 : 0);
          this.log.info(text);
        },
      },
      onTls: (result) => this.results.add(result, new Date()),
    };
  }

  /** @throws what the database throws. */
  async wanted({ mail }: DeliveryJob): Promise<CourierJob['tls']> {
    // Nobody else can have this sender: the service's own domain is active in the operator's account.
    if (mail.tags[NOTICE_TAG] === 'tls_report' && mail.sender === `postmaster@${this.config.settings.SERVICE_DOMAIN}`)
      return 'unconditional';
    return (await this.wishes.of(mail.accountId, mail.domainId)).tls;
  }
}
