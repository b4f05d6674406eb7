import { Gauge } from 'prom-client';
import type { Log } from '../logging/log.js';
import type { Metrics } from './metrics.js';

/** A state that needs the attention of an operator. */
interface Condition {
  since: Date;
  details: object;
}

/**
 * The conditions of this process. This is the only place that reports their beginning and their end: as warnings with the stable
 * names `<condition> begins` and `<condition> ends`, and as the metric `postloft_conditions`.
 */
export class Conditions {
  /** By name and subject. */
  private readonly present = new Map<string, Map<string, Condition>>();

  constructor(private readonly log: Log) {}

  register(metrics: Metrics): void {
    const { present } = this;
    new Gauge({
      name: 'postloft_conditions',
      help: 'States that need attention now, by condition.',
      labelNames: ['condition'],
      registers: [metrics.registry],
      collect() {
        for (const [condition, subjects] of present) this.set({ condition }, subjects.size);
      },
    });
  }

  /** Replaces the present conditions of this name: those that are new begin, and those that are missing end. */
  set(name: string, found: ReadonlyMap<string, object>): void {
    const known = this.of(name);
    for (const [subject, details] of found) {
      const before = known.get(subject);
      known.set(subject, { since: before?.since ?? new Date(), details });
      if (before === undefined) this.log.warn(`${name} begins`, { subject, ...details });
    }
    for (const [subject, { since, details }] of known) {
      if (found.has(subject)) continue;
      known.delete(subject);
      this.log.warn(`${name} ends`, { subject, ...details, since: since.toISOString() });
    }
  }

  /** The present conditions of this name by subject. */
  of(name: string): Map<string, Condition> {
    let known = this.present.get(name);
    if (known === undefined) this.present.set(name, (known = new Map()));
    return known;
  }
}
