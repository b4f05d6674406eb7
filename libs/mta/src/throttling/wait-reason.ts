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
  const mail = `Mail to ${nameOf(queue)}${source === null ? '' : ` from ${source.address}`}`;
  switch (kind) {
    case 'suspended':
      return `${mail} is paused because of what a server there answered (${throttle.suspension?.cause.rule}).`;
    case 'slow_down':
      return `${mail} goes out slower than usual because of what a server there answered (${throttle.slowDown?.cause.rule}).`;
    case 'rate':
      return `${mail} is limited to ${limitOf(throttle)}; it goes when its turn comes.`;
    case 'warm_up':
      return `${mail} ${warmUpText(throttle, now)}.`;
    case 'concurrency':
      return `${mail} waits because as many as may be at once, ${throttle.limit(now, workers)}, are on their way.`;
  }
}

function warmUpText({ suspension, settings }: Throttle, now: number): string {
  if (suspension !== null && now < suspension.until)
    return 'is paused: the address is new there and too many of its mails were put off';
  return `waits: the address is new there and has had its share of today, ${settings.warmUp?.allowance ?? 0} recipients`;
}

function limitOf({ settings }: Throttle): string {
  const limits = [perTime(settings.limits.perMinute, 'minute'), perTime(settings.limits.perHour, 'hour')];
  return limits.filter((limit) => limit !== null).join(' and ');
}

const nameOf = (queue: string): string => queue.replace(/^domain:/, '');

const perTime = (limit: number | null, unit: string): string | null => (limit === null ? null : `${limit} per ${unit}`);
