import { KeyedSemaphore } from '#libs/kernel';
import type { PermitFailure } from './fetch-failure.js';

/** Requests at once in this process: on behalf of accounts, and of the service itself. */
const PER_POOL = 200;
/** Less than the limit of a host, so that no account can keep others from a host alone. */
const PER_ACCOUNT = 20;
const PER_HOST = 40;
const WAIT_MS = 30_000;

/** On whose behalf a request is made. */
export interface Requester {
  /** Absent: the service itself. Its requests do not wait for those of accounts. */
  account?: string;
  /** Aborted when the result is no longer needed. */
  signal?: AbortSignal;
}

/** There is no permit for the request: too many others are running, or it is no longer needed. */
export class NoPermit extends Error {
  constructor(readonly failure: PermitFailure) {
    super(failure);
  }
}

/** Limits the requests to untrusted hosts, and so their sockets: in this process, per account, and per host. */
export class FetchPermits {
  private readonly pools = new KeyedSemaphore(PER_POOL);
  private readonly accounts = new KeyedSemaphore(PER_ACCOUNT);
  private readonly hosts = new KeyedSemaphore(PER_HOST);

  /**
   * Waits for a permit; call the result once when the connection has ended. The account comes first, so that an account
   * waits with at most its own share for hosts and the process.
   * @throws NoPermit
   */
  async acquire(host: string, { account, signal }: Requester): Promise<() => void> {
    const pool = account === undefined ? 'service' : 'accounts';
    const wanted: [KeyedSemaphore, string][] = [
      ...(account === undefined ? [] : [[this.accounts, account] satisfies [KeyedSemaphore, string]]),
      [this.hosts, `${pool} ${host.toLowerCase().replace(/\.$/, '')}`],
      [this.pools, pool],
    ];
    const wait = new AbortController();
    const timer = setTimeout(() => wait.abort(new NoPermit('busy')), WAIT_MS);
    const leave = () => wait.abort(new NoPermit('aborted'));
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
    const taken: [KeyedSemaphore, string][] = [];
    const release = () => {
      for (const [semaphore, key] of taken.splice(0)) semaphore.release(key);
    };
    try {
      for (const [semaphore, key] of wanted) {
        await semaphore.acquire(key, wait.signal);
        taken.push([semaphore, key]);
      }
      return release;
    } catch (error) {
      release();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }
}
