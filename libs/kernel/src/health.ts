/** Why a part cannot do its work right now; `null` when it can. */
export type HealthCheck = () => Promise<string | null> | string | null;

const CHECK_LIMIT_MS = 1_500;

/** What this process runs and whether each part can do its work; answers `/readyz`. */
export class Health {
  private readonly checks = new Map<string, HealthCheck>();

  register(part: string, check: HealthCheck): void {
    this.checks.set(part, check);
  }

  /** The failing parts with their reasons; empty means ready. A check that does not answer in 1.5 s has failed. */
  async failures(): Promise<Record<string, string>> {
    const failing: Record<string, string> = {};
    await Promise.all(
      [...this.checks].map(async ([part, check]) => {
        const reason = await this.ask(check);
        if (reason !== null) failing[part] = reason;
      }),
    );
    return failing;
  }

  private async ask(check: HealthCheck): Promise<string | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('does not answer'), CHECK_LIMIT_MS);
    });
    try {
      return await Promise.race([Promise.resolve(check()), late]);
    } catch (error) {
      return (error as Error).message.split('\n', 1)[0];
    } finally {
      clearTimeout(timer);
    }
  }
}
