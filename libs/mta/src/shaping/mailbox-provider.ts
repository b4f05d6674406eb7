/** Mailbox providers by the suffixes of their MX names. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  google: ['google.com', 'googlemail.com'],
  microsoft: ['mail.protection.outlook.com', 'mx.microsoft'],
  outlook: ['olc.protection.outlook.com'],
  yahoo: ['yahoodns.net'],
  apple: ['mail.icloud.com', 'apple.com'],
};

/** Longest suffix first: consumer and business mail of one company differ in it. */
const SUFFIXES: readonly (readonly [suffix: string, provider: string])[] = Object.entries(PROVIDERS)
  .flatMap(([provider, suffixes]) => suffixes.map((suffix) => [suffix, provider] as const))
  .sort(([a], [b]) => b.length - a.length);

/** The provider that the first known of these MX names belongs to; null for none. Names in lower case, no final dot. */
export function mailboxProvider(exchanges: readonly string[]): string | null {
  for (const exchange of exchanges) {
    const known = SUFFIXES.find(([suffix]) => exchange === suffix || exchange.endsWith(`.${suffix}`));
    if (known) return known[1];
  }
  return null;
}
