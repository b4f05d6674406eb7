import { Refusal } from '#libs/contracts';
import { generateDkimKeys } from '#libs/mime';

type Keys = Awaited<ReturnType<typeof generateDkimKeys>>;

/** An RSA pair costs up to half a second of a thread that files and DNS share. */
const AT_ONCE = 2;
const WAITING = 200;

/** DKIM keys on demand, few at a time: a crowd of new domains must not take all threads of the process. */
export class KeySupply {
  private readonly lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  private taken = 0;
  private waiting = 0;

  /** @throws Refusal service_unavailable when too many wait already. */
  async next(): Promise<Keys> {
    if (this.waiting >= WAITING)
      throw new Refusal('service_unavailable', [], 'Too many domains are being added. Try again.');
    const lane = this.taken++ % AT_ONCE;
    this.waiting += 1;
    const keys = this.lanes[lane].then(generateDkimKeys).finally(() => (this.waiting -= 1));
    this.lanes[lane] = keys.catch(() => undefined);
    return keys;
  }
}
