import { Refusal } from '#libs/contracts';
import { backoffMs, sleep } from '#libs/kernel';
import { databaseErrors } from '#libs/persistence';

/** About ten seconds. */
const ATTEMPTS = 7;

/**
 * Repeats a read while the database is overloaded or unreachable: clients that all reconnect at once should wait, and not
 * fail and come again.
 * @throws Refusal `service_unavailable` if that lasts; other errors unchanged
 */
export async function whileUnavailable<T>(
  read: () => Promise<T>,
  pause: (failures: number) => Promise<void> = (failures) => sleep(backoffMs(failures)),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (error instanceof Refusal || !databaseErrors.isUnavailable(error)) throw error;
      if (attempt === ATTEMPTS) throw new Refusal('service_unavailable');
      await pause(attempt);
    }
  }
}
