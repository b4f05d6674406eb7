import { isRetryable, type Database, type Queryable } from './database.js';

const ATTEMPTS = 5;

/** Does the work once more where another transaction got in its way; `work` must have no effect of its own. */
export async function retriedTransaction<T>(database: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
