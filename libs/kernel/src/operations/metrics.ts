import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { VERSION } from './version.js';

/** Prometheus metrics of this process, served at `/metrics`. */
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'postloft_build_info',
      help: 'The version of Postloft and of Node.js as labels; the value is always 1.',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ version: VERSION, node: process.versions.node }, 1);
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }
}
