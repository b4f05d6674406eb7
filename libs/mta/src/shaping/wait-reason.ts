import type { Cause } from './restraint.js';
import type { Lane } from './lane.js';
import type { PaceWait, WaitReason } from './shaping.js';

/** Why nothing of this lane may begin now, in a sentence for people. */
export function waitReason(lane: Lane, kind: PaceWait, facts: { now: number; workers: number }): WaitReason {
  const { queue, source } = lane.of;
  const cause = causeOf(lane, kind);
  return {
    kind,
    queue,
    source: source?.address ?? null,
    text: sentence(lane, kind, facts),
    words: cause?.words ?? null,
    mx: cause?.mx ?? null,
  };
}

function causeOf(lane: Lane, kind: PaceWait): Cause | null {
  switch (kind) {
    case 'suspended':
      return lane.suspension?.cause ?? null;
    case 'warm_up':
      return lane.suspension?.kind === 'warm_up' ? lane.suspension.cause : null;
    case 'slow_down':
      return lane.slowDown?.cause ?? null;
    case 'concurrency':
    case 'rate':
      return null;
  }
}

function sentence(lane: Lane, kind: PaceWait, { now, workers }: { now: number; workers: number }): string {
  const { queue, source } = lane.of;
  const mail = `Mail to ${nameOf(queue)}${source === null ? '' : ` from ${source.address}`}`;
  switch (kind) {
    case 'suspended':
      return `${mail} is paused because of what a server there answered (${lane.suspension?.cause.rule}).`;
    case 'slow_down':
      return `${mail} goes out slower than usual because of what a server there answered (${lane.slowDown?.cause.rule}).`;
    case 'rate':
      return `${mail} is limited to ${limitOf(lane)}; it goes when its turn comes.`;
    case 'warm_up':
      return `${mail} ${warmUpObstacle(lane, now)}.`;
    case 'concurrency':
      return `${mail} waits because as many as may be at once, ${lane.limit(now, workers)}, are on their way.`;
  }
}

function warmUpObstacle({ suspension, of }: Lane, now: number): string {
  if (suspension !== null && now < suspension.until)
    return 'is paused: the address is new there and too many of its mails were put off';
  return `waits: the address is new there and has had its share of today, ${of.warmUp?.allowance ?? 0} recipients`;
}

function limitOf({ of: { pace } }: Lane): string {
  const limits = [perTime(pace.perMinute, 'minute'), perTime(pace.perHour, 'hour')];
  return limits.filter((limit) => limit !== null).join(' and ');
}

const nameOf = (queue: string): string => queue.replace(/^domain:/, '');

const perTime = (limit: number | null, unit: string): string | null => (limit === null ? null : `${limit} per ${unit}`);
