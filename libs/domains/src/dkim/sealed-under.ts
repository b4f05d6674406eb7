/** What a private key is sealed under: one that is moved to another row, or to a row of another domain, does not open. */
export const sealedUnder = (domainId: string, keyId: string): string => `${domainId}:${keyId}`;
