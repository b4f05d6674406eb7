/**
 * Remembers for a short while what the database answered, absence included. Whoever asks for the same key meanwhile
 * shares the question. An answer is as old as its question, never as young as its arrival: what changed more than
 * `ttlMs` ago is seen by everybody who asks now, however slow the database is.
 */
export interface RecentAnswersOptions<V> {
  ask: (key: string) => Promise<V | null>;
  ttlMs: number;
  /** At most this many of each kind, found and absent; a flood of absent keys cannot push out the found ones. */
  limit: number;
  /** Milliseconds on a clock that never goes back. */
  clock?: () => number;
}

interface Answer<V> {
  value: V;
  until: number;
}

export class RecentAnswers<V> {
  private readonly found = new Map<string, Answer<V>>();
  private readonly absent = new Map<string, Answer<null>>();
  private readonly asked = new Map<string, Answer<Promise<V | null>>>();
  private readonly clock: () => number;

  constructor(private readonly options: RecentAnswersOptions<V>) {
    this.clock = options.clock ?? (() => performance.now());
  }

  /** Rejects as the question did; a failure is not remembered. */
  async get(key: string): Promise<V | null> {
    const now = this.clock();
    const known = this.found.get(key) ?? this.absent.get(key) ?? this.asked.get(key);
    return known !== undefined && known.until > now ? known.value : this.ask(key, now);
  }

  /** The next `get` asks anew, and a question under way is not remembered. */
  forget(key: string): void {
    this.found.delete(key);
    this.absent.delete(key);
    this.asked.delete(key);
  }

  private async ask(key: string, now: number): Promise<V | null> {
    this.forget(key);
    const question = { value: this.options.ask(key), until: now + this.options.ttlMs };
    this.asked.set(key, question);
    try {
      const value = await question.value;
      if (this.asked.get(key) === question) this.keep(key, value, question.until);
      return value;
    } finally {
      if (this.asked.get(key) === question) this.asked.delete(key);
    }
  }

  private keep(key: string, value: V | null, until: number): void {
    if (value === null) this.insert(this.absent, key, { value, until });
    else this.insert(this.found, key, { value, until });
  }

  /** One lifetime for all, so the oldest entries stand in front. */
  private insert<T>(answers: Map<string, Answer<T>>, key: string, answer: Answer<T>): void {
    const now = this.clock();
    for (const [oldKey, old] of answers) {
      if (old.until > now && answers.size < this.options.limit) break;
      answers.delete(oldKey);
    }
    answers.set(key, answer);
  }
}
