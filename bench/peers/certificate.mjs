// The certificate of the peers, of the same kind as the one that Postloft creates, so that handshakes cost the same.
import { generate } from 'selfsigned';

/** @returns {Promise<{ key: string, cert: string }>} PEM; RSA-2048, self-signed */
export async function selfSigned() {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
  });
  return { key, cert };
}
