import { Injectable } from '@nestjs/common';
import { LocalDelivery, type DeliveryJob } from '#libs/emails';
import { Config, Log } from '#libs/kernel';
import { BoundedWork } from './bounded-work.js';
import { SimulatedDelivery, type SimulatedJob } from './simulated-delivery.js';

/** The simulated jobs of this process, at most DELIVERY_CONCURRENCY at once. */
@Injectable()
export class SimulatedJobs {
  /** Until their outcome is written. */
  readonly active = new Set<DeliveryJob>();
  private readonly work: BoundedWork<SimulatedJob>;

  constructor(
    private readonly simulator: SimulatedDelivery,
    private readonly localDelivery: LocalDelivery,
    { settings }: Config,
    private readonly log: Log,
  ) {
    this.work = new BoundedWork(settings.DELIVERY_CONCURRENCY, (job) => this.simulate(job));
  }

  /** Takes the simulated part of a job; returns the rest, or null if nothing is left. */
  take(job: DeliveryJob): DeliveryJob | null {
    const { real, simulated } = this.simulator.divide(job);
    if (simulated) {
      this.localDelivery.leave(job);
      this.active.add(simulated.job);
      this.work.add(simulated);
    }
    return real;
  }

  /** Resolves when the started jobs have ended. Returns the others. */
  async stop(): Promise<DeliveryJob[]> {
    return (await this.work.stop()).map(({ job }) => job);
  }

  private async simulate(simulated: SimulatedJob): Promise<void> {
    try {
      await this.simulator.deliver(simulated);
      this.active.delete(simulated.job);
    } catch (error) {
      this.log.error('delivery: a simulated job failed unexpectedly', error);
    }
  }
}
