const MAX_ENTRIES = 10_000;

/** Remembers for a while that something about a host does not work. Bounded; forgets the oldest first. */
export class HostMemory {
  readonly #until = new Map<string, number>();

  constructor(private readonly keepMs: number) {}

  note(key: string): void {
    this.#until.delete(key);
    this.#until.set(key, performance.now() + this.keepMs);
    if (this.#until.size <= MAX_ENTRIES) return;
    for (const oldest of this.#until.keys()) {
      this.#until.delete(oldest);
      return;
    }
  }

  holds(key: string): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.#until.delete(key);
    return false;
  }

  forget(key: string): void {
    if (this.#until.size > 0) this.#until.delete(key);
  }
}
