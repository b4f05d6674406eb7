import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export type DkimAlgorithm = 'rsa-sha256' | 'ed25519-sha256';

/** A signing key. Keep the KeyObject: parsing a PEM for every signature takes four times as long. */
export interface DkimKey {
  domain: string;
  selector: string;
  algorithm: DkimAlgorithm;
  privateKey: KeyObject;
}

/** `privateKeyPem` is PKCS#8; `publicKeyBase64` is the value of `p=`. */
export interface GeneratedDkimKey {
  privateKeyPem: string;
  publicKeyBase64: string;
}

const generate = promisify(generateKeyPair);
const RSA_BITS = 2048; // RFC 8301 §3.2; 4096 would not fit one DNS answer over UDP
const ED25519_OCTETS = 32;

/** Generates an RSA and an Ed25519 key pair. RSA takes 50 to 500 ms in the thread pool. */
export async function generateDkimKeys(): Promise<{ rsa: GeneratedDkimKey; ed25519: GeneratedDkimKey }> {
  const [rsa, ed25519] = await Promise.all([generate('rsa', { modulusLength: RSA_BITS }), generate('ed25519')]);
  const rsaPublic = rsa.publicKey.export({ type: 'spki', format: 'der' });
  // RFC 8463 §4: the bare 32 octets of the key, which end its SPKI form.
  const ed25519Public = ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(-ED25519_OCTETS);
  return {
    rsa: { privateKeyPem: pem(rsa.privateKey), publicKeyBase64: rsaPublic.toString('base64') },
    ed25519: { privateKeyPem: pem(ed25519.privateKey), publicKeyBase64: ed25519Public.toString('base64') },
  };
}

/** The text of the TXT record at `<selector>._domainkey.<domain>`; RFC 6376 §3.6.1. Longer than 255 octets for RSA. */
export function dkimRecordValue(algorithm: DkimAlgorithm, publicKeyBase64: string): string {
  return `v=DKIM1; k=${algorithm === 'ed25519-sha256' ? 'ed25519' : 'rsa'}; p=${publicKeyBase64}`;
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
