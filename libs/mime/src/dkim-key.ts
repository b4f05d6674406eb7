import type { KeyObject } from 'node:crypto';

export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

/** A signing key. Keep the KeyObject: handing a PEM to every signature costs four times as much. */
export interface DkimKey {
  domain: string;
  selector: string;
  algorithm: DkimAlgorithm;
  privateKey: KeyObject;
}
