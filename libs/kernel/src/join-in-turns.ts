import { bodyMemory } from './body-memory.js';
import { nextTurn } from './next-turn.js';

/** What is copied before others go first; memory that was never used costs several times the copying. */
const COPY_BYTES = 256 * 1024;

/** The pieces as one, of any size; a single one is not copied. */
export async function joinInTurns(pieces: readonly Buffer[]): Promise<Buffer> {
  if (pieces.length === 1) return pieces[0];
  const whole = bodyMemory(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  let pauseAt = COPY_BYTES;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const copied = piece.copy(whole, at, from, from + pauseAt - at);
      from += copied;
      at += copied;
      if (at < pauseAt) continue;
      await nextTurn();
      pauseAt += COPY_BYTES;
    }
  }
  return whole;
}
