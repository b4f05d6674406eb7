import { Injectable } from '@nestjs/common';
import { Config, Log, Metrics } from '#libs/kernel';
import type { CourierOptions } from '#libs/mta';
import { Gauge } from 'prom-client';
import { StoredStsPolicies } from './stored-sts-policies.js';
import { stsFetch } from './sts-fetch.js';

/** What the courier needs for the security of its connections: where policies are kept, and who counts. */
@Injectable()
export class OutgoingTls {
  private readonly daneOn: Gauge;

  constructor(
    private readonly policies: StoredStsPolicies,
    private readonly config: Config,
    private readonly log: Log,
    metrics: Metrics,
  ) {
    this.daneOn = new Gauge({
      name: 'postloft_dane_enabled',
      help: '1 when TLSA records are looked for: the first name server is on this machine and checks signatures',
      registers: [metrics.registry],
    });
  }

  options(): Pick<CourierOptions, 'sts' | 'dane'> {
    return {
      sts: { store: this.policies, fetch: stsFetch(this.config) },
      dane: {
        mode: this.config.settings.DANE,
        onState: ({ on, text }) => {
          this.daneOn.set(on ? 1 : 0);
          this.log.info(text);
        },
      },
    };
  }
}
