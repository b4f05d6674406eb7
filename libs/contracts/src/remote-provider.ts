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

/** The id of the provider that a queue belongs to; the name of the queue if no known provider has it. */
export const providerOfQueue = (queue: string): string => BY_QUEUE.get(queue) ?? queue;
