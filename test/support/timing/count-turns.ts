/** Numbers the turns of the event loop while it runs. */
export function countTurns(): { turn: number; running: boolean } {
  const counter = { turn: 0, running: true };
  const count = () => {
    counter.turn += 1;
    if (counter.running) setImmediate(count);
  };
  setImmediate(count);
  return counter;
}
