import type { Outcome } from '#libs/mta';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Asked at every look. */
export interface DeliveryState {
  inFlight: () => number;
  atRisk: () => number;
  waitingByReason: () => Map<string, number>;
  /** Seconds; rejects while the database is away. */
  oldestDue: () => Promise<number>;
  isDnsAway: () => boolean;
}

/** What `/metrics` says of delivery. */
export class DeliveryMetrics {
  private readonly attempts: Counter<'outcome' | 'provider'>;
  private readonly putBacks: Counter<'reason'>;

  constructor(registry: Registry, state: DeliveryState) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'postloft_attempts_total',
      help: 'Delivery attempts by outcome and mailbox provider',
      labelNames: ['outcome', 'provider'],
      registers,
    });
    this.putBacks = new Counter({
      name: 'postloft_deliveries_put_back_total',
      help: 'Jobs that went back to the database unsent, by what holds them back',
      labelNames: ['reason'],
      registers,
    });
    gauge('postloft_deliveries_in_flight', 'Jobs under way to their servers', state.inFlight);
    gauge('postloft_deliveries_at_risk', 'Jobs between MAIL and the writing of their outcome', state.atRisk);
    gauge('postloft_dns_away', '1 while none of the name servers answers: mail waits, no attempt is counted', () =>
      Number(state.isDnsAway()),
    );
    new Gauge({
      name: 'postloft_deliveries_waiting',
      help: 'Claimed jobs that wait in memory, by what for',
      labelNames: ['reason'],
      registers,
      collect() {
        this.reset();
        for (const [reason, jobs] of state.waitingByReason()) this.set({ reason }, jobs);
      },
    });
    new Gauge({
      name: 'postloft_oldest_due_seconds',
      help: 'For how long the oldest due mail has waited to be claimed',
      registers,
      async collect() {
        this.set(await state.oldestDue().catch(() => NaN));
      },
    });

    function gauge(name: string, help: string, value: () => number): void {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    }
  }

  /** An attempt whose final dot was never answered is counted apart: only such a mail may arrive twice. */
  count(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const unknown = outcome.kind === 'deferred' && outcome.certainty === 'unknown_outcome';
      const provider = (outcome.kind === 'abandoned' ? null : outcome.remote.provider) ?? 'other';
      this.attempts.inc({ outcome: unknown ? 'unknown_outcome' : outcome.kind, provider });
    }
  }

  wentBack(reason: string): void {
    this.putBacks.inc({ reason });
  }
}
