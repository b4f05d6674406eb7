import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '#libs/contracts';
import { Semaphore } from '#libs/kernel';

/** RFC 9106 section 4 and OWASP: 19 MiB, two passes, one lane. The default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Hashing runs on the thread pool, which other work needs as well. */
const AT_ONCE = 4;
const WAITING = 100;

const permits = new Semaphore(AT_ONCE);
let waiting = 0;
let absent: Promise<string> | undefined;

/** @throws Refusal service_unavailable while too many passwords are being checked */
export function hashPassword(password: string): Promise<string> {
  return limited(() => hash(normalise(password), COST));
}

/**
 * Whether the password is that of the stored hash. Without one, the work is the same and the result is false, so that the
 * time of the answer does not tell whether there is a user.
 * @throws Refusal service_unavailable while too many passwords are being checked
 */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  absent ??= hash('of no user', COST);
  const against = stored ?? (await absent);
  const isRight = await limited(() => verify(against, normalise(password)));
  return isRight && stored !== null;
}

/** The same characters are typed in different forms on different systems (RFC 8265 section 4). */
const normalise = (password: string): string => password.normalize('NFC');

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= WAITING) throw new Refusal('service_unavailable', [], 'Too many logins at once. Try again.');
  waiting += 1;
  try {
    return await permits.run(work);
  } finally {
    waiting -= 1;
  }
}
