import { withTimeout } from '../concurrency/timeout.js';
import type { Log } from '../logging/log.js';
import { Conditions } from './conditions.js';
import type { Metrics } from './metrics.js';
import { VERSION } from './version.js';

/** Why a part is not ready; null if it is. */
export type HealthCheck = () => Promise<string | null> | string | null;

interface PartState {
  part: string;
  /** Null if it is ready. */
  reason: string | null;
  /** Since when it has not been ready, as far as this process knows; null if it is. */
  since: Date | null;
}

const CHECK_TIMEOUT_MS = 1_500;
const WATCH_MS = 2_000;
const UNAVAILABLE = 'part_unavailable';

/** The readiness of the parts of this process, served at `/readyz`, and the conditions that need the attention of an operator. */
export class Health {
  /** The version of Postloft. */
  static readonly version = VERSION;
  readonly conditions: Conditions;
  private readonly checks = new Map<string, HealthCheck>();
  private running: Promise<PartState[]> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.conditions = new Conditions(log);
  }

  register(part: string, check: HealthCheck): void {
    this.checks.set(part, check);
  }

  /** The failing parts with their reasons; empty if ready. */
  async failures(): Promise<Record<string, string>> {
    const failing: Record<string, string> = {};
    for (const { part, reason } of await this.report()) if (reason !== null) failing[part] = reason;
    return failing;
  }

  /** All parts. A check that takes longer than 1.5 s has failed. Concurrent callers share one run. */
  report(): Promise<PartState[]> {
    this.running ??= this.check().finally(() => (this.running = undefined));
    return this.running;
  }

  /** Checks all parts every two seconds, so that the beginning of a failure is known when somebody asks. */
  watch(metrics: Metrics): void {
    this.conditions.register(metrics);
    this.timer ??= setInterval(() => void this.report(), WATCH_MS);
    this.timer.unref();
  }

  unwatch(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<PartState[]> {
    const found = await Promise.all(
      [...this.checks].map(async ([part, check]) => ({ part, reason: await this.run(check) })),
    );
    const failing = found.flatMap(({ part, reason }) => (reason === null ? [] : [[part, { reason }] as const]));
    this.conditions.set(UNAVAILABLE, new Map(failing));
    const known = this.conditions.of(UNAVAILABLE);
    return found.map((one) => ({ ...one, since: known.get(one.part)?.since ?? null }));
  }

  private async run(check: HealthCheck): Promise<string | null> {
    try {
      return await withTimeout(check(), CHECK_TIMEOUT_MS, () => 'does not answer');
    } catch (error) {
      return (error as Error).message.split('\n', 1)[0];
    }
  }
}
