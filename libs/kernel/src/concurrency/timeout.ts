/**
 * The result of `work`, or that of `onTimeout` if the work takes longer than `ms`. The work itself goes on; its late
 * result or rejection is ignored.
 */
export async function withTimeout<T, L>(work: T | PromiseLike<T>, ms: number, onTimeout: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
