// What a peer shows to its clients: a certificate of the kind that ours makes for itself, so that a handshake costs both the same.
import { generate } from 'selfsigned';

/** @returns {Promise<{ key: string, cert: string }>} PEM; RSA-2048, signed by itself */
export async function selfSigned() {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
  });
  return { key, cert };
}
