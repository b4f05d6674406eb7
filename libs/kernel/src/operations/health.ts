import { withTimeout } from '../concurrency/timeout.js';

/** Why a part is not ready; null if it is. */
export type HealthCheck = () => Promise<string | null> | string | null;

const CHECK_TIMEOUT_MS = 1_500;

/** The readiness of the parts of this process, served at `/readyz`. */
export class Health {
  private readonly checks = new Map<string, HealthCheck>();

  register(part: string, check: HealthCheck): void {
    this.checks.set(part, check);
  }

  /** The failing parts with their reasons; empty if ready. */
  async failures(): Promise<Record<string, string>> {
    const failing: Record<string, string> = {};
    for (const { part, reason } of await this.report()) if (reason !== null) failing[part] = reason;
    return failing;
  }

  /** All parts; `reason` is null for one that is ready. A check that takes longer than 1.5 s has failed. */
  report(): Promise<{ part: string; reason: string | null }[]> {
    return Promise.all([...this.checks].map(async ([part, check]) => ({ part, reason: await this.run(check) })));
  }

  private async run(check: HealthCheck): Promise<string | null> {
    try {
      return await withTimeout(check(), CHECK_TIMEOUT_MS, () => 'does not answer');
    } catch (error) {
      return (error as Error).message.split('\n', 1)[0];
    }
  }
}
