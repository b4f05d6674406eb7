import { queueNames, sentences } from '#libs/contracts';
import type { Cause } from './penalty.js';
import type { Throttle } from './throttle.js';
import type { ThrottleWaitKind, WaitReason } from './throttling.js';

/** Why nothing of this throttle may begin now, with a sentence for the user. */
export function waitReason(
  throttle: Throttle,
  kind: ThrottleWaitKind,
  facts: { now: number; workers: number },
): WaitReason {
  const { queue, source } = throttle.settings;
  const cause = causeOf(throttle, kind);
  return {
    kind,
    queue,
    source: source?.address ?? null,
    text: sentence(throttle, kind, facts),
    words: cause?.words ?? null,
    mx: cause?.mx ?? null,
    ...(cause?.blockList ? { blockList: cause.blockList } : {}),
  };
}

function causeOf(throttle: Throttle, kind: ThrottleWaitKind): Cause | null {
  switch (kind) {
    case 'suspended':
      return throttle.suspension?.cause ?? null;
    case 'warm_up':
      return throttle.suspension?.kind === 'warm_up' ? throttle.suspension.cause : null;
    case 'slow_down':
      return throttle.slowDown?.cause ?? null;
    case 'concurrency':
    case 'rate':
      return null;
  }
}

function sentence(
  throttle: Throttle,
  kind: ThrottleWaitKind,
  { now, workers }: { now: number; workers: number },
): string {
  const { queue, source } = throttle.settings;
  const delivery = `Delivery to ${nameOf(queue)}${source === null ? '' : ` from ${source.address}`}`;
  switch (kind) {
    case 'suspended':
      return `${delivery} is paused ${causeText(throttle.suspension)}.`;
    case 'slow_down':
      return `${delivery} is slower than usual ${causeText(throttle.slowDown)}.`;
    case 'rate':
      return `${delivery} is limited to ${limitOf(throttle)}, and this email waits for its turn.`;
    case 'warm_up':
      return `${delivery} ${warmUpText(throttle, now)}.`;
    case 'concurrency':
      return `${delivery} waits because as many as may be at once, ${throttle.limit(now, workers)}, are in progress.`;
  }
}

const causeText = (penalty: { cause: Cause } | null): string => sentences.throttleCause(penalty?.cause.rule ?? '');

function warmUpText({ suspension, settings }: Throttle, now: number): string {
  if (suspension !== null && now < suspension.until)
    return 'is paused: the address is new there, and too many of its emails were deferred';
  return `waits: the address is new there and has sent its share of today, ${settings.warmUp?.allowance ?? 0} recipients`;
}

function limitOf({ settings }: Throttle): string {
  const limits = [perTime(settings.limits.perMinute, 'minute'), perTime(settings.limits.perHour, 'hour')];
  return limits.filter((limit) => limit !== null).join(' and ');
}

const nameOf = (queue: string): string => queueNames.penaltyQueue.ordinary(queue).replace(/^domain:/, '');

const perTime = (limit: number | null, unit: string): string | null => (limit === null ? null : `${limit} per ${unit}`);
