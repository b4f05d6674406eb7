import { randomUUID, X509Certificate } from 'node:crypto';
import { existsSync, watchFile, unwatchFile } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { IssuedCertificates } from '#libs/certificates';
import { tlsFiles, type Config, type Log, type TlsFiles } from '#libs/kernel';
import { generate } from 'selfsigned';

const RELOAD_CHECK_MS = 1_000;
const VALID_DAYS = 3_650;

/**
 * The certificate of all listeners: the PEM files of SMTP_TLS_CERT and SMTP_TLS_KEY, else that by ACME, else a self-signed one
 * that is kept in DATA_DIR until the name of the service changes.
 * @throws when it cannot be used (ConfigError for configured files); while a pair is being replaced, its files do not match.
 */
export async function loadCertificate(
  config: Config,
  log: Log,
  issued?: Pick<IssuedCertificates, 'filesOf'>,
): Promise<TlsFiles> {
  const given = tlsFiles.read(config, 'SMTP_TLS') ?? issued?.filesOf(`smtp.${config.settings.SERVICE_DOMAIN}`) ?? null;
  if (given !== null) return given;
  await generateOnce(config, log);
  const [certFile, keyFile] = certificateFiles(config);
  const files = { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
  createSecureContext(files);
  return files;
}

/** Calls back with the new certificate when the files change; one that cannot be used is logged, and the old one stays. */
export function watchCertificate(
  { config, log, issued }: { config: Config; log: Log; issued: IssuedCertificates },
  changed: (certificate: TlsFiles) => void,
): () => void {
  const files = certificateFiles(config);
  let current = '';
  const reload = async (): Promise<void> => {
    const certificate = await loadCertificate(config, log, issued);
    // Called for each file of a pair.
    if (certificate.cert === current) return;
    changed(certificate);
    current = certificate.cert;
    log.info('the smtp certificate was reloaded', { valid_until: new X509Certificate(current).validTo });
  };
  const reloadOrWarn = (): void => {
    reload().catch((error: Error) =>
      log.warn('the new smtp certificate cannot be used; the old one stays', { reason: error.message }),
    );
  };
  // Polls the files behind the paths: mounted certificates are replaced by a symbolic link in a parent directory.
  for (const file of files) watchFile(file, { interval: RELOAD_CHECK_MS, persistent: false }, reloadOrWarn);
  const unsubscribe = issued.onChange(reloadOrWarn);
  return () => {
    unsubscribe();
    files.forEach((file) => unwatchFile(file, reloadOrWarn));
  };
}

function certificateFiles({ settings, dataDir }: Config): [cert: string, key: string] {
  return [
    settings.SMTP_TLS_CERT ?? join(dataDir, 'smtp-certificate.pem'),
    settings.SMTP_TLS_KEY ?? join(dataDir, 'smtp-certificate-key.pem'),
  ];
}

/** The names in a certificate of `generate`. */
const GENERATED_NAMES = /^DNS:smtp\.[^,]+, DNS:localhost, IP Address:127\.0\.0\.1$/;

/** Generated here, maybe for an earlier name of the service; otherwise the operator has put it there. */
const isGenerated = ({ subject, issuer, subjectAltName = '' }: X509Certificate): boolean =>
  subject === issuer && GENERATED_NAMES.test(subjectAltName);

const generated = new WeakMap<Config, Promise<void>>();

/** Once for all listeners, which open concurrently: otherwise one could write its key beside the certificate of another. */
function generateOnce(config: Config, log: Log): Promise<void> {
  const generating = generated.get(config) ?? generateUnlessValid(config, log);
  generated.set(config, generating);
  return generating;
}

async function generateUnlessValid(config: Config, log: Log): Promise<void> {
  const [certFile, keyFile] = certificateFiles(config);
  const host = `smtp.${config.settings.SERVICE_DOMAIN}`;
  if (!existsSync(certFile)) return generateFiles(config, host);
  const present = new X509Certificate(await readFile(certFile));
  if (!isGenerated(present)) return;
  const hasItsKey = existsSync(keyFile) && tlsFiles.keyProblem(present, await readFile(keyFile, 'utf8')) === null;
  if (hasItsKey && present.checkHost(host) !== undefined) return;
  const fields = { file: certFile, before: present.subject };
  try {
    await generateFiles(config, host);
  } catch (error) {
    if (!hasItsKey) throw error;
    const reason = (error as Error).message;
    log.warn(`the smtp certificate is not valid for ${host}, and a new one cannot be written`, { ...fields, reason });
    return;
  }
  const cause = hasItsKey ? `it was not valid for ${host}` : 'its key was missing or did not match';
  log.warn(`the self-signed smtp certificate was replaced: ${cause}. Clients that trusted it need the new one`, fields);
}

async function generateFiles(config: Config, host: string): Promise<void> {
  const pems = await generate([{ name: 'commonName', value: host }], {
    // Every TLS 1.2 client supports this curve; a handshake with it costs a quarter less processor time than with RSA.
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

/** Writes all files or none, and none partially: other programs of the service may read or replace them concurrently. */
async function replaceFiles(files: { path: string; text: string; mode: number }[]): Promise<void> {
  const written = files.map(({ path }) => `${path}.${randomUUID()}`);
  try {
    for (const [i, { text, mode }] of files.entries()) await writeFile(written[i], text, { mode });
    for (const [i, { path }] of files.entries()) await rename(written[i], path);
  } finally {
    await Promise.all(written.map((path) => rm(path, { force: true })));
  }
}
