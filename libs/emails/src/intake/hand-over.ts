import type { Wakeups } from '#libs/kernel';
import type { HandOff } from '../hand-off.js';
import { jobsOf, type Draft } from './accept-draft.js';

/** The way of one mail from its commit to delivery: in memory where there was room, else by the database. */
export interface HandOver {
  /** The worker that claims the recipients in the accept transaction; null: the claim loop finds them. */
  workerId: string | null;
  /** After the commit. */
  deliver: () => void;
  /** Instead: nothing was written. */
  release: () => void;
}

const nothing = (): void => undefined;

/** Room in the hand-off for a mail that is due now; scheduled mail waits in the database. */
export function reserveHandOver(draft: Draft, handOff: HandOff, wakeups: Wakeups): HandOver {
  const jobs = draft.submission.scheduledAt ? [] : jobsOf(draft);
  if (jobs.length === 0 || !handOff.welcomes(jobs)) return { workerId: null, deliver: nothing, release: nothing };
  const bytes = draft.content.body.length;
  const worker = handOff.reserve(jobs, bytes);
  if (worker === null) return { workerId: null, release: nothing, deliver: () => wakeups.ring('due-mail') };
  for (const job of jobs) job.life = worker.life;
  // The first job carries the weight of the body; the others share it.
  jobs[0].reservedBytes = bytes;
  return {
    workerId: worker.id,
    release: () => handOff.cancel(jobs.length, bytes),
    deliver: () => handOff.push(jobs),
  };
}
