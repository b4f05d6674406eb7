import { collectDefaultMetrics, Registry } from 'prom-client';

/** Prometheus metrics of this process, served at `/metrics`. */
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }
}
