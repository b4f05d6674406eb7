import { Injectable } from '@nestjs/common';
import { Health, Metrics } from '#libs/kernel';
import { Worker } from '#libs/persistence';
import { Gauge, type Registry } from 'prom-client';
import { Queue } from '../queue.js';
import { CourierAdapter } from './courier-adapter.js';
import { DispatchLimits } from './dispatch-limits.js';
import { Dispatcher } from './dispatcher.js';

/** Reports the state of delivery in this process: its gauges, read at every scrape, and its health. */
@Injectable()
export class DeliveryStatus {
  private readonly registry: Registry;

  constructor(
    dispatcher: Dispatcher,
    queue: Queue,
    courier: CourierAdapter,
    limits: DispatchLimits,
    worker: Worker,
    health: Health,
    { registry }: Metrics,
  ) {
    this.registry = registry;
    this.gauge('postloft_deliveries_in_flight', 'Jobs in progress.', () => limits.open.held);
    this.gauge(
      'postloft_deliveries_unsettled',
      'Jobs between MAIL and the commit of their outcome.',
      () => limits.unsettled.held,
    );
    this.gauge(
      'postloft_dns_unavailable',
      '1 while no name server answers: messages wait, and no attempt is counted.',
      () => Number(courier.outage() !== null),
    );
    new Gauge({
      name: 'postloft_deliveries_waiting',
      help: 'Claimed jobs waiting in memory, by reason.',
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [reason, jobs] of dispatcher.waitingByReason()) this.set({ reason }, jobs);
      },
    });
    this.gauge(
      'postloft_oldest_due_seconds',
      'Time that the oldest due message has waited to be claimed, in seconds.',
      // Fails while the database is unavailable.
      () => queue.oldestDue().catch(() => NaN),
    );
    health.register('delivery', () => (worker.isAlive ? null : 'the heartbeat of this worker is not confirmed'));
  }

  private gauge(name: string, help: string, value: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await value());
      },
    });
  }
}
