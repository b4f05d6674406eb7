import { MAILBOX_PROVIDERS, mailboxProvider } from './providers.js';

const BY_MX = new Map<string, string>();
const BY_QUEUE = new Map<string, string>();
for (const { name, id = name, mx } of MAILBOX_PROVIDERS) {
  BY_QUEUE.set(name, id);
  for (const suffix of mx) BY_MX.set(suffix, id);
}

/**
 * The mailbox provider behind a remote host, by the longest known ending of its name; of an unknown host that of the
 * recipient.
 */
export function remoteProvider(mx: string, recipient: string): string {
  const host = mx.toLowerCase();
  for (let suffix = host; ; suffix = suffix.slice(suffix.indexOf('.') + 1)) {
    const known = BY_MX.get(suffix);
    if (known !== undefined) return known;
    if (!suffix.includes('.')) return mailboxProvider(recipient);
  }
}

/** Begins the name of a queue whose mail leaves from the penalty pool. */
const PENALTY = 'penalty:';

/** Names of the queues of mail from the penalty pool, which are apart from the ordinary queues of the same destinations. */
export const penaltyQueue = {
  nameOf: (queue: string): string => `${PENALTY}${queue}`,
  is: (queue: string): boolean => queue.startsWith(PENALTY),
  /** The ordinary queue of the same destination. */
  ordinary: (queue: string): string => (queue.startsWith(PENALTY) ? queue.slice(PENALTY.length) : queue),
};

/** The id of the provider that a queue belongs to; the name of the queue if no known provider has it. */
export const providerOfQueue = (queue: string): string =>
  BY_QUEUE.get(penaltyQueue.ordinary(queue)) ?? penaltyQueue.ordinary(queue);
