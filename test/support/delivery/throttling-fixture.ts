import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { classifyReply, createThrottling, NO_REMOTE, readThrottlingPlan } from '../../../libs/mta/src/index.js';
import type {
  Destination,
  Outcome,
  ThrottlePermit,
  ProviderThrottling,
  Sender,
  SharedThrottlingState,
  ThrottlingPlan,
} from '../../../libs/mta/src/index.js';
import type { DeliveryPhase } from '../../../libs/mta/src/delivery-outcome.js';

export const SENDER: Sender = { domain: 'example.org', tags: {}, recipients: 1 };
export const DOMAIN: Destination = { queue: 'domain:example.net', provider: null };
export const GOOGLE: Destination = { queue: 'google', provider: 'google' };
export const YAHOO: Destination = { queue: 'yahoo', provider: 'yahoo' };

const at = new Date(0);
const remote = { ...NO_REMOTE, mx: 'mx.example.net' };
const common = { key: '0', startedAt: at, endedAt: at } as const;
const put = { ...common, kind: 'deferred', remote, class: 'deferral' } as const;

export const DELIVERED: Outcome = {
  ...common,
  kind: 'delivered',
  reply: { code: 250, enhanced: '2.0.0', text: 'ok' },
  remote,
};
export const ABANDONED: Outcome = { ...common, kind: 'abandoned' };
export const UNREACHABLE: Outcome = {
  ...put,
  phase: 'connect',
  certainty: 'not_sent',
  reply: { code: null, enhanced: '4.4.1', text: 'no answer' },
};

/** What a server says when it puts a mail off: `421 4.7.0 and its words`. */
export function deferred(words: string, phase: DeliveryPhase = 'rcpt'): Outcome {
  const [code, enhanced, ...text] = words.split(' ');
  const reply = { code: Number(code), enhanced, text: text.join(' ') };
  return { ...put, phase, certainty: 'answered', reply, class: classifyReply(reply).class };
}

/** The same words, as a refusal for good. */
export function bounced(said: Outcome): Outcome {
  if (said.kind !== 'deferred') throw new Error('only a reply can be a refusal');
  const { key, startedAt, endedAt, phase, reply, class: found } = said;
  return { key, startedAt, endedAt, phase, reply, remote, class: found, kind: 'bounced', bounceType: 'soft' };
}

/** A shaping with a clock of its own; it stands until it is told to go on. */
export function throttlingFixture(
  options: { plan?: ThrottlingPlan; shared?: SharedThrottlingState; start?: number } = {},
) {
  let now = options.start ?? Date.UTC(2026, 10, 21, 8);
  const events: object[] = [];
  const shaping = createThrottling({
    ...options,
    connectionsPerHost: 20,
    now: () => now,
    log: (event) => events.push(event),
  });
  return { shaping, events, now: () => now, pass: (ms: number) => (now += ms) };
}

/** @throws with the sentence that says why it must wait. */
export function begin(shaping: ProviderThrottling, destination = DOMAIN, sender = SENDER): ThrottlePermit {
  const admission = shaping.admit(destination, sender);
  if (admission.kind !== 'go') throw new Error(admission.reason.text);
  return admission.permit;
}

export function beginAll(shaping: ProviderThrottling, destination = DOMAIN): ThrottlePermit[] {
  return Array.from({ length: shaping.availableSlots(destination) }, () => begin(shaping, destination));
}

/** The plan of an operator's file with this content. */
export function planOf(content: object | string): ThrottlingPlan {
  const folder = mkdtempSync(join(tmpdir(), 'shaping-'));
  const file = join(folder, 'shaping.json');
  try {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readThrottlingPlan({ file, heloName: 'smtp.example.org' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
