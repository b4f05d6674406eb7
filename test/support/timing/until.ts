interface Patience {
  withinMs?: number;
  everyMs?: number;
  what?: string;
  /** Why the answer cannot come any more, as soon as that is so: nobody waits for it then. */
  hopeless?: () => string | null;
}

/** Asks until the answer is there; fails with the last answer or error in the message. */
export async function until<T>(ask: () => Promise<T | null | undefined | false>, options: Patience = {}): Promise<T> {
  const { withinMs = 30_000, everyMs = 50, what = 'the expected answer', hopeless = () => null } = options;
  const deadline = Date.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    const reason = hopeless();
    if (reason !== null) throw new Error(`${what} cannot come any more: ${reason}`);
    if (Date.now() > deadline)
      throw new Error(
        `${what} did not come within ${withinMs} ms; last: ${String(last instanceof Error ? last.message : JSON.stringify(last))}`,
      );
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
