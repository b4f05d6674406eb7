/** Young objects are copied by two collections before they count as old; between two lie some hundred mails. */
const RENEWED_AFTER = 128;

/**
 * A Map for what comes and goes with every mail. V8 puts the table of a Map or Set that was outgrown next to the last one;
 * once that is where old objects live, each such table stays there until the whole heap is marked, with all that it held,
 * and so whoever passes through is moved there too, with all that he refers to, which collections of young objects pay
 * for. A new Map now and then keeps the tables young.
 */
export class PassingMap<K, V> {
  private entries = new Map<K, V>();
  private gone = 0;

  get size(): number {
    return this.entries.size;
  }

  /** The key that has been here for the longest. */
  get eldest(): K | undefined {
    return this.entries.keys().next().value;
  }

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  set(key: K, value: V): void {
    this.entries.set(key, value);
  }

  /** False: it was not there. */
  delete(key: K): boolean {
    if (!this.entries.delete(key)) return false;
    this.gone += 1;
    if (this.gone >= RENEWED_AFTER && this.gone >= this.entries.size) {
      this.entries = new Map(this.entries);
      this.gone = 0;
    }
    return true;
  }

  clear(): void {
    this.entries = new Map();
  }

  /** In the order in which they came, as they are now. */
  keys(): K[] {
    return [...this.entries.keys()];
  }
}

/** A Set for what comes and goes with every mail; see `PassingMap`. */
export class PassingSet<T> implements Iterable<T> {
  private readonly items = new PassingMap<T, true>();

  get size(): number {
    return this.items.size;
  }

  /** The one that has been here for the longest. */
  get eldest(): T | undefined {
    return this.items.eldest;
  }

  add(item: T): void {
    this.items.set(item, true);
  }

  /** False: it was not there. */
  delete(item: T): boolean {
    return this.items.delete(item);
  }

  clear(): void {
    this.items.clear();
  }

  /** In the order in which they came, as they are when it begins. */
  [Symbol.iterator](): Iterator<T> {
    return this.items.keys().values();
  }
}
