/** The id under which a domain's private key is sealed: a key moved to another row or algorithm does not open. */
export const sealedUnder = (domainId: string, algorithm: 'rsa' | 'ed25519'): string => `${domainId}:${algorithm}`;
