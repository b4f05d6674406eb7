import { randomUUID, X509Certificate } from 'node:crypto';
import { existsSync, watchFile, unwatchFile } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { keyProblem, readTlsFiles, type Config, type Log, type TlsFiles } from '#libs/kernel';
import { generate } from 'selfsigned';

const RELOAD_CHECK_MS = 1_000;
const VALID_DAYS = 3_650;

/**
 * The doors' certificate: the operator's PEM files, else one that we sign ourselves and keep in DATA_DIR for as long as the
 * service has its name.
 * @throws when they cannot be used (ConfigError: the operator's): while a pair is replaced, one file is older
 */
export async function loadCertificate(config: Config, log: Log): Promise<TlsFiles> {
  const given = readTlsFiles(config, 'SMTP_TLS');
  if (given !== null) return given;
  await makeOnce(config, log);
  const [certFile, keyFile] = certificateFiles(config);
  const files = { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  createSecureContext(files);
  return files;
}

/** Calls back with the new certificate when the files change; one that cannot be used is reported and the old one stays. */
export function watchCertificate(config: Config, log: Log, changed: (certificate: TlsFiles) => void): () => void {
  const files = certificateFiles(config);
  let current = '';
  const reload = async (): Promise<void> => {
    const certificate = await loadCertificate(config, log);
    // Both files of a pair report their change.
    if (certificate.cert === current) return;
    changed(certificate);
    current = certificate.cert;
    log.info('the smtp certificate was reloaded', { valid_until: new X509Certificate(current).validTo });
  };
  const changedOnDisk = (): void => {
    reload().catch((error: Error) =>
      log.warn('the new smtp certificate cannot be used; the old one stays', { reason: error.message }),
    );
  };
  // By polling, of what the paths lead to: certificates that are mounted change by a symbolic link somewhere above.
  for (const file of files) watchFile(file, { interval: RELOAD_CHECK_MS, persistent: false }, changedOnDisk);
  return () => files.forEach((file) => unwatchFile(file, changedOnDisk));
}

function certificateFiles({ settings, dataDir }: Config): [cert: string, key: string] {
  return [
    settings.SMTP_TLS_CERT ?? join(dataDir, 'smtp-certificate.pem'),
    settings.SMTP_TLS_KEY ?? join(dataDir, 'smtp-certificate-key.pem'),
  ];
}

/** The names in a certificate that `makeUnlessThere` has made. */
const OUR_NAMES = /^DNS:smtp\.[^,]+, DNS:localhost, IP Address:127\.0\.0\.1$/;

/** Made here, maybe under another name of the service; else the operator has put it there. */
const isOurs = ({ subject, issuer, subjectAltName = '' }: X509Certificate): boolean =>
  subject === issuer && OUR_NAMES.test(subjectAltName);

const made = new WeakMap<Config, Promise<void>>();

/** Once for all doors, which open at the same time: else one would write its key beside the certificate of another. */
function makeOnce(config: Config, log: Log): Promise<void> {
  const making = made.get(config) ?? makeUnlessThere(config, log);
  made.set(config, making);
  return making;
}

async function makeUnlessThere(config: Config, log: Log): Promise<void> {
  const [certFile, keyFile] = certificateFiles(config);
  const host = `smtp.${config.settings.SERVICE_DOMAIN}`;
  if (!existsSync(certFile)) return make(config, host);
  const there = new X509Certificate(await readFile(certFile));
  if (!isOurs(there)) return;
  const isWhole = existsSync(keyFile) && keyProblem(there, await readFile(keyFile, 'utf8')) === null;
  if (isWhole && there.checkHost(host) !== undefined) return;
  const facts = { file: certFile, before: there.subject };
  try {
    await make(config, host);
  } catch (error) {
    if (!isWhole) throw error;
    const reason = (error as Error).message;
    log.warn(`the smtp certificate does not stand for ${host}, and a new one cannot be written`, { ...facts, reason });
    return;
  }
  const cause = isWhole ? `it did not stand for ${host}` : 'its key was not there or another';
  log.warn(`the smtp certificate was made anew: ${cause}. Clients that trusted it need the new one`, facts);
}

async function make(config: Config, host: string): Promise<void> {
  const pems = await generate([{ name: 'commonName', value: host }], {
    // Whoever speaks TLS 1.2 knows this curve; a handshake with it costs a quarter less processor time than with RSA.
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + VALID_DAYS * 24 * 3600 * 1000),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: host },
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  await mkdir(config.dataDir, { recursive: true });
  const [certFile, keyFile] = certificateFiles(config);
  await replaceFiles([
    { path: keyFile, text: pems.private, mode: 0o600 },
    { path: certFile, text: pems.cert, mode: 0o644 },
  ]);
}

/** All or none where they cannot be written, and none half: another program of the service may read or replace them now. */
async function replaceFiles(files: { path: string; text: string; mode: number }[]): Promise<void> {
  const written = files.map(({ path }) => `${path}.${randomUUID()}`);
  try {
    for (const [i, { text, mode }] of files.entries()) await writeFile(written[i], text, { mode });
    for (const [i, { path }] of files.entries()) await rename(written[i], path);
  } finally {
    await Promise.all(written.map((path) => rm(path, { force: true })));
  }
}
