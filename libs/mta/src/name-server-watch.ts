import { Resolver as DnsResolver } from 'node:dns/promises';

/** How often it is looked whether answers still come, or come again. */
const LOOK_MS = 1_000;
const PROBE_MS = 1_000;
/** While they are away one question of those that are asked goes out now and then: a forwarder may ignore our probe. */
const TRIAL_MS = 5_000;
/** What c-ares says when a server did answer; anything else is silence, or our own breaking off. */
const ANSWERED = new Set(['ENODATA', 'EFORMERR', 'ESERVFAIL', 'ENOTFOUND', 'ENOTIMP', 'EREFUSED', 'EBADRESP']);

/**
 * Whether our name servers are away as a whole. A zone whose own servers stall looks alike to the one who asks for it; so
 * nothing but silence decides: a question for the root, which every server can answer, had none either. Each answer
 * of any kind ends it.
 */
export class NameServerWatch {
  /** One for each server, since all of them must be silent. */
  readonly #probes: DnsResolver[];
  #isAway = false;
  /** Of `performance.now()`, all of them. */
  #heardAt = -Infinity;
  /** When a question was last known to have no answer. */
  #silentAt = -Infinity;
  #backAt = -Infinity;
  #probedAt = -Infinity;
  #triedAt = -Infinity;
  #asking = 0;
  #probing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** `onChange` is told when they go away and when they are back; it must not throw. */
  constructor(
    readonly servers: readonly string[],
    private readonly onChange: (isAway: boolean) => void,
    timeoutMs = PROBE_MS,
  ) {
    this.#probes = servers.map((server) => {
      const dns = new DnsResolver({ timeout: Math.min(PROBE_MS, timeoutMs), tries: 2 });
      dns.setServers([server]);
      return dns;
    });
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Rejects as the question does; while they are away without asking it. */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.#isAway && !this.#mayTry()) {
      this.#silentAt = performance.now();
      throw Object.assign(new Error('no name server answers'), { code: 'ECONNREFUSED' });
    }
    this.#asking += 1;
    this.#lookSoon();
    try {
      const answer = await question();
      this.#heard();
      return answer;
    } catch (error) {
      if (isAnswer(error)) this.#heard();
      else this.#silentAt = performance.now();
      throw error;
    } finally {
      this.#asking -= 1;
    }
  }

  /** Whether what was asked since then had no answer because they are away, or were. May take as long as a probe. */
  async wasAway(since: number): Promise<boolean> {
    if (this.#silentAt < since) return false;
    if (!this.#isAway && this.#backAt <= since) await this.#probe();
    return this.#isAway || this.#backAt > since;
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const dns of this.#probes) dns.cancel();
  }

  #mayTry(): boolean {
    if (performance.now() - this.#triedAt < TRIAL_MS) return false;
    this.#triedAt = performance.now();
    return true;
  }

  #heard(): void {
    const now = performance.now();
    this.#heardAt = now;
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#backAt = now;
    this.onChange(false);
  }

  /** While somebody waits for an answer, or for all of them. */
  #lookSoon(): void {
    if (this.#timer !== null || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#asking === 0 && !this.#isAway) return;
      if (performance.now() - this.#heardAt >= LOOK_MS) void this.#probe();
      this.#lookSoon();
    }, LOOK_MS).unref();
  }

  /** One at a time, and one in a second, whoever is in doubt. Never rejects. */
  #probe(): Promise<void> {
    this.#probing ??= this.#askRoot().finally(() => (this.#probing = null));
    return this.#probing;
  }

  async #askRoot(): Promise<void> {
    const restMs = this.#probedAt + LOOK_MS - performance.now();
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs).unref());
    if (this.#stopped) return;
    this.#probedAt = performance.now();
    // The first answer counts: a dead server beside a living one holds nobody up.
    const isAnswered = await Promise.any(this.#probes.map(hearRoot)).catch(() => false);
    if (this.#stopped) return;
    if (isAnswered) this.#heard();
    else if (!this.#isAway && this.#heardAt < this.#probedAt) this.#leave();
  }

  #leave(): void {
    this.#isAway = true;
    this.#triedAt = performance.now();
    this.#lookSoon();
    this.onChange(true);
  }
}

/** Rejects on silence. */
async function hearRoot(dns: DnsResolver): Promise<true> {
  try {
    await dns.resolveNs('.');
  } catch (error) {
    if (!isAnswer(error)) throw error;
  }
  return true;
}

function isAnswer(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && ANSWERED.has(code);
}
