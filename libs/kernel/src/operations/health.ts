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

  /** The failing parts with their reasons; empty if ready. A check that takes longer than 1.5 s has failed. */
  async failures(): Promise<Record<string, string>> {
    const failing: Record<string, string> = {};
    await Promise.all(
      [...this.checks].map(async ([part, check]) => {
        const reason = await this.run(check);
        if (reason !== null) failing[part] = reason;
      }),
    );
    return failing;
  }

  private async run(check: HealthCheck): Promise<string | null> {
    try {
      return await withTimeout(check(), CHECK_TIMEOUT_MS, () => 'does not answer');
    } catch (error) {
      return (error as Error).message.split('\n', 1)[0];
    }
  }
}
