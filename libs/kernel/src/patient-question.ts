/** Timers may be that early. */
const CLOCK_MS = 50;

/**
 * A question of `node:dns`, asked again until `ms` are over where it had no answer in time: from quick answers c-ares
 * learns to wait for less than it was told, and a name whose own servers are slow would have no answer although it has one.
 * @param ms 0: it is asked once
 * @throws what the last question threw
 */
export async function patientQuestion<T>(ms: number, question: () => Promise<T>): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    try {
      return await question();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== 'ETIMEOUT' || performance.now() >= until - CLOCK_MS) throw error;
    }
  }
}
