import { Injectable } from '@nestjs/common';
import type { Simulation } from '#libs/contracts';
import { firstLink, MessageBuilder, simulator, type DeliveryJob } from '#libs/emails';
import { Config, databaseClock } from '#libs/kernel';
import { CourierAdapter } from './courier-adapter.js';
import { Queue } from '../queue.js';

type Recipient = DeliveryJob['recipients'][number];
type Simulations = Map<Recipient, Simulation>;

/** A job whose delivery is simulated. */
export interface SimulatedJob {
  job: DeliveryJob;
  simulations: Simulations;
}

/** A job, divided; `real` is the job itself when nothing of it is simulated. */
export interface DividedJob {
  real: DeliveryJob | null;
  simulated: SimulatedJob | null;
}

/**
 * Delivery of test messages and of messages to simulator addresses. They are composed, signed and captured like any
 * other, but sent to no server in any delivery mode; their outcome is made up. See docs/decisions/029-test-mode.md.
 */
@Injectable()
export class SimulatedDelivery {
  constructor(
    private readonly queue: Queue,
    private readonly outgoing: CourierAdapter,
    private readonly messages: MessageBuilder,
    private readonly config: Config,
  ) {}

  divide(job: DeliveryJob): DividedJob {
    const { email, recipients } = job;
    const simulations: Simulations = new Map();
    for (const recipient of recipients) {
      const simulation = simulator.outcome({
        address: recipient.address,
        serviceDomain: this.config.settings.SERVICE_DOMAIN,
        test: email.test,
        sandboxResult: email.sandboxResult,
      });
      if (simulation) simulations.set(recipient, simulation);
    }
    if (simulations.size === 0) return { real: job, simulated: null };
    const real = recipients.filter((recipient) => !simulations.has(recipient));
    return {
      real: real.length === 0 ? null : { ...job, recipients: real },
      simulated: { job: { ...job, recipients: [...simulations.keys()] }, simulations },
    };
  }

  async deliver({ job, simulations }: SimulatedJob): Promise<void> {
    const startedAt = databaseClock.date();
    const due = new Map<number, Recipient[]>();
    for (const [recipient, { delayMs }] of simulations) {
      const at = job.email.releasedAt.getTime() + delayMs;
      const when = at > startedAt.getTime() ? at : 0;
      due.set(when, [...(due.get(when) ?? []), recipient]);
    }
    for (const [at, recipients] of due) {
      const part = { ...job, recipients };
      // A slow simulation waits in the database: in memory it would hold a permit that real messages need.
      if (at > 0) await this.queue.requeue(part, new Date(at));
      else await this.happen(part, simulations, startedAt);
    }
  }

  private async happen(job: DeliveryJob, simulations: Simulations, startedAt: Date): Promise<void> {
    const keepable = job.recipients.filter((one) => isKept(one, simulations.get(one)));
    const kept = keepable.length === 0 ? [] : await this.outgoing.capture({ ...job, recipients: keepable });
    // A message that could not be composed or captured ends as a delivery would.
    const trouble = kept.filter(({ kind }) => kind !== 'delivered');
    if (trouble.length > 0) await this.queue.settle(job, trouble);
    const troubled = new Set(trouble.map(({ key }) => key));
    const clickUrl = await this.clickUrl(job, simulations);
    const decided = job.recipients
      .filter(({ ordinal }) => !troubled.has(String(ordinal)))
      .flatMap((recipient) => {
        const simulation = simulations.get(recipient);
        return simulation ? [{ recipient, simulation, startedAt, clickUrl }] : [];
      });
    await this.queue.settleSimulated(job, decided);
  }

  private async clickUrl(job: DeliveryJob, simulations: Simulations): Promise<string> {
    const isClicked = job.recipients.some((one) => simulations.get(one)?.result === 'clicked');
    const content = isClicked ? await this.messages.stored(job) : null;
    return (content && firstLink(content)) ?? this.config.settings.PUBLIC_URL;
  }
}

/**
 * The inbox shows what would have been sent: nothing for a suppressed recipient, and one copy however many attempts
 * follow.
 */
function isKept({ attempts }: Recipient, simulation?: Simulation): boolean {
  return simulation?.result !== 'suppressed' && (simulation?.result !== 'deferred' || attempts === 0);
}
