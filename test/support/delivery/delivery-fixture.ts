import { type DeliveryJob } from '#libs/emails';
import { Database, Worker } from '#libs/persistence';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { Queue } from '../../../libs/queue/src/queue.js';
import type { GatewayApp } from '../fixtures/gateway-app.js';

export type ScriptedOutcome = 'delivered' | 'deferred' | 'bounced';

/** What a receiving server would have said to one recipient. */
function outcomeOf(ordinal: number, kind: ScriptedOutcome): Outcome {
  const replies = {
    delivered: { code: 250, enhanced: '2.0.0', text: 'taken' },
    deferred: { code: 450, enhanced: '4.2.0', text: 'greylisted, come back' },
    bounced: { code: 550, enhanced: '5.7.1', text: 'not wanted here' },
  };
  const common = {
    key: String(ordinal),
    reply: replies[kind],
    remote: { ...NO_REMOTE, mx: 'mx.recipient.example', ip: '192.0.2.25' },
    startedAt: new Date(),
    endedAt: new Date(),
  };
  switch (kind) {
    case 'delivered':
      return { ...common, kind };
    case 'deferred':
      return { ...common, kind, certainty: 'answered', phase: 'rcpt', class: 'deferral' };
    case 'bounced':
      return { ...common, kind, phase: 'rcpt', class: 'policy', bounceType: 'soft' };
  }
}

/** Claims and settles messages in the process of a gateway, without a courier. */
export class DeliveryFixture {
  readonly database: Database;
  private readonly queue: Queue;

  private constructor(gateway: GatewayApp) {
    this.database = gateway.app.get(Database);
    this.queue = gateway.app.get(Queue);
  }

  static async open(gateway: GatewayApp): Promise<DeliveryFixture> {
    await gateway.app.get(Worker).register();
    return new DeliveryFixture(gateway);
  }

  claim(limit = 100): Promise<DeliveryJob[]> {
    return this.queue.claim(limit);
  }

  async settle(jobs: readonly DeliveryJob[], kindOf: (address: string) => ScriptedOutcome): Promise<void> {
    await Promise.all(
      jobs.map((job) =>
        this.queue.settle(
          job,
          job.recipients.map(({ ordinal, address }) => outcomeOf(ordinal, kindOf(address))),
        ),
      ),
    );
  }

  /** One attempt for everybody who is due now. */
  async deliver(kindOf: (address: string) => ScriptedOutcome): Promise<void> {
    for (let jobs = await this.claim(); jobs.length > 0; jobs = await this.claim()) await this.settle(jobs, kindOf);
  }
}
