import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

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

/** basicConstraints, 2.5.29.19, critical, with cA true */
const IS_AUTHORITY = der(
  0x30,
  der(0x06, Buffer.from('551d13', 'hex')),
  der(0x01, Buffer.from([0xff])),
  der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))),
);

interface Issuer {
  name: string;
  key: KeyObject;
}

/** Something that signs certificates. Its own is `cert`; give it to whoever is to trust it. */
export interface Authority {
  /** PEM. */
  cert: string;
  key: string;
  /** `cert` of the answer holds the chain: the certificate first, the authority's behind it. */
  issue(name: string, expired?: boolean): Certificate;
  /** The same with the name in the subject alone, as before RFC 2818. */
  issueBySubject(name: string): Certificate;
}

/**
 * A certificate for `name` that nobody trusts, made for this run: no key is kept in the repository and no program is
 * needed. `expired` ends its life yesterday. X.509 v3 (RFC 5280 §4.1), P-256.
 */
export function selfSignedCertificate(name: string, expired = false): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { key: pemKey(privateKey), cert: certify(name, publicKey, { issuer: { name, key: privateKey }, expired }) };
}

const AUTHORITY_NAME = 'Test Authority';

/** An authority, made for this run. */
export function testAuthority(name = AUTHORITY_NAME): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certify(name, publicKey, { issuer: { name, key: privateKey }, kind: 'authority' });
  return authorityOf({ cert, key: pemKey(privateKey) }, name);
}

/** An authority that was made elsewhere, by its certificate and key. */
export function authorityOf({ cert: own, key }: Certificate, name = AUTHORITY_NAME): Authority {
  const issuer = { name, key: createPrivateKey(key) };
  const issue = (host: string, of: Omit<CertificateOptions, 'issuer'>): Certificate => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return { key: pemKey(pair.privateKey), cert: certify(host, pair.publicKey, { issuer, ...of }) + own };
  };
  return {
    cert: own,
    key,
    issue: (host, expired = false) => issue(host, { expired }),
    issueBySubject: (host) => issue(host, { kind: 'subject' }),
  };
}

interface CertificateOptions {
  issuer: Issuer;
  expired?: boolean;
  /** `host`: the name is in subjectAltName too. */
  kind?: 'host' | 'subject' | 'authority';
}

function certify(
  name: string,
  publicKey: KeyObject,
  { issuer, expired = false, kind = 'host' }: CertificateOptions,
): string {
  const day = 86_400_000;
  const end = Date.now() + (expired ? -day : day);
  const altNames = der(0x04, der(0x30, der(0x82, Buffer.from(name))));
  const extension = kind === 'authority' ? IS_AUTHORITY : der(0x30, SUBJECT_ALT_NAME, altNames);
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    commonName(issuer.name),
    der(0x30, time(end - 30 * day), time(end)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(kind === 'subject' ? [] : [der(0xa3, der(0x30, extension))]),
  );
  const signature = sign('sha256', body, issuer.key);
  const certificate = der(0x30, body, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function commonName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(name)))));
}

function pemKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
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
