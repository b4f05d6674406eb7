import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  key: string;
  cert: string;
}

/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2 */
const ECDSA_SHA256 = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
/** commonName, 2.5.4.3 */
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));
/** subjectAltName, 2.5.29.17 */
const SUBJECT_ALT_NAME = der(0x06, Buffer.from('551d11', 'hex'));

/**
 * A certificate for `name` that nobody trusts, made for this run: no key is kept in the repository and no program is
 * needed. `expired` ends its life yesterday. X.509 v3 (RFC 5280 §4.1), P-256.
 */
export function selfSignedCertificate(name: string, expired = false): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const day = 86_400_000;
  const end = Date.now() + (expired ? -day : day);
  const subject = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const altNames = der(0x04, der(0x30, der(0x82, Buffer.from(name))));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    subject,
    der(0x30, time(end - 30 * day), time(end)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, der(0x30, SUBJECT_ALT_NAME, altNames))),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der(0x30, body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf(content: Buffer): Buffer {
  if (content.length < 128) return Buffer.from([content.length]);
  if (content.length < 256) return Buffer.from([0x81, content.length]);
  return Buffer.from([0x82, content.length >> 8, content.length & 255]);
}

/** UTCTime, YYMMDDHHMMSSZ. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
