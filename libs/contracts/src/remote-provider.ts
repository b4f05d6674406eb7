import { MAILBOX_PROVIDERS, mailboxProvider } from './providers.js';

const BY_MX = new Map<string, string>();
const BY_NAME = new Map<string, string>();
for (const { name, statistics = name, mx } of MAILBOX_PROVIDERS) {
  BY_NAME.set(name, statistics);
  for (const suffix of mx) BY_MX.set(suffix, statistics);
}

/**
 * The mailbox provider behind a remote host, by the longest known ending of its name; of an unknown host that of the
 * recipient. The names are those of statistics.
 */
export function remoteProvider(mx: string, recipient: string): string {
  const host = mx.toLowerCase();
  for (let suffix = host; ; suffix = suffix.slice(suffix.indexOf('.') + 1)) {
    const known = BY_MX.get(suffix);
    if (known !== undefined) return known;
    if (!suffix.includes('.')) return mailboxProvider(recipient);
  }
}

/** The name in statistics of a provider that has another name in throttling. */
export const statisticsName = (provider: string): string => BY_NAME.get(provider) ?? provider;
