/** The recipient's address decides what the mail server of `recorder.mjs` replies. */
const OUTCOMES = ['unknown', 'policy', 'later', 'busy', 'pair'] as const;
export type Outcome = 'ok' | (typeof OUTCOMES)[number];
/** `once`: by REST without an idempotency key, and not repeated if the answer is missing. */
export type Channel = 'batch' | 'rest' | 'once' | 'smtp';

export interface PlannedMessage {
  index: number;
  outcome: Outcome;
  subject: string;
  recipients: string[];
}

export const UNIT = 100;
export const BATCH = 50;
const DOMAINS = 20;
/** Every twentieth message has the first outcome, and so on; the others are accepted. */
const PERIOD = 20;
const ONCE_EVERY = 9;
const CHANNELS: readonly Exclude<Channel, 'once'>[] = ['batch', 'rest', 'smtp', 'batch'];

export const RECIPIENT_DOMAINS = Array.from({ length: DOMAINS }, (_, i) => `receiver${i}.test`);

/** Messages are sent in units of one channel each. */
export const unitChannel = (unit: number): Exclude<Channel, 'once'> => CHANNELS[unit % CHANNELS.length];

export function channelOf(index: number): Channel {
  const channel = unitChannel(Math.floor(index / UNIT));
  return channel === 'rest' && index % ONCE_EVERY === 0 ? 'once' : channel;
}

export function plannedMessage(index: number): PlannedMessage {
  const outcome = OUTCOMES.at(index % PERIOD) ?? 'ok';
  const address = (name: string) => `${name}-${index}@${RECIPIENT_DOMAINS[Math.floor(index / PERIOD) % DOMAINS]}`;
  const recipients = outcome === 'pair' ? [address('first'), address('second')] : [address(outcome)];
  return { index, outcome, subject: `message-${index}`, recipients };
}

/** Null if the subject is none of the plan. */
export function indexOfSubject(subject: string): number | null {
  const index = /^message-(\d+)$/.exec(subject)?.[1];
  return index === undefined ? null : Number(index);
}

/** Null if the address is none of the plan. */
export function indexOfRecipient(address: string): number | null {
  const index = /^[a-z]+-(\d+)@/.exec(address)?.[1];
  return index !== undefined && plannedMessage(Number(index)).recipients.includes(address) ? Number(index) : null;
}

export const isRefused = (outcome: Outcome): boolean => outcome === 'unknown' || outcome === 'policy';
export const isDeferred = (outcome: Outcome): boolean => outcome === 'later' || outcome === 'busy';
