export const KEY_ALGORITHMS = ['rsa', 'ed25519'] as const;
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number];
