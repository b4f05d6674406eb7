import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';

type Metric = MetricObjectWithValues<MetricValue<string>>;

/** Prometheus metrics of this process; served at `/metrics`. */
export class Metrics {
  readonly registry = new Registry();
  private readonly others: (() => Promise<Metric[]>)[] = [];

  /** `ofProcess`: processor time, memory, event loop; of a thread they are its process's already. */
  constructor({ ofProcess = true } = {}) {
    if (ofProcess) collectDefaultMetrics({ register: this.registry });
  }

  /** Metrics of another thread of this process, shown with ours: what both have is added up. */
  join(snapshot: () => Promise<Metric[]>): void {
    this.others.push(snapshot);
  }

  /** As plain values, for `join` in another thread. */
  snapshot(): Promise<Metric[]> {
    return this.registry.getMetricsAsJSON();
  }

  async render(): Promise<string> {
    if (this.others.length === 0) return this.registry.metrics();
    const all = await Promise.all([this.snapshot(), ...this.others.map((snapshot) => snapshot())]);
    return AggregatorRegistry.aggregate(all.map((metrics) => metrics.map(shown))).metrics();
  }
}

/** The library leaves some out when it adds up several processes; here they are of the one that there is. */
const shown = (metric: Metric): Metric => (metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric);
