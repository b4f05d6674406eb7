/**
 * Milliseconds of processor time that `run` takes, the cheapest of `times` runs: processor time because other programs
 * on the machine do not lengthen it, the cheapest because a collection of garbage does. For comparing with a control of
 * the same run; as a number of its own it says more about the machine than about the code.
 */
export async function cost(run: () => unknown, times = 6): Promise<number> {
  let cheapest = Infinity;
  for (let i = 0; i < times; i += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    cheapest = Math.min(cheapest, (user + system) / 1000);
  }
  return cheapest;
}
