import { X509Certificate } from 'node:crypto';
import { existsSync, watchFile, unwatchFile } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTlsFiles, type Config, type Log, type TlsFiles } from '#libs/kernel';
import { generate } from 'selfsigned';

const RELOAD_CHECK_MS = 1_000;
const VALID_DAYS = 3_650;

/**
 * The doors' certificate: the operator's PEM files, else one that we sign ourselves once and keep in DATA_DIR.
 * @throws ConfigError when the operator's cannot be used: while a pair is replaced, one file is older
 */
export async function loadCertificate(config: Config): Promise<TlsFiles> {
  const given = readTlsFiles(config, 'SMTP_TLS');
  if (given !== null) return given;
  const [certFile, keyFile] = certificateFiles(config);
  await makeOnce(config, certFile, keyFile);
  return { cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}

/** Calls back with the new certificate when the files change; one that cannot be used is reported and the old one stays. */
export function watchCertificate(config: Config, log: Log, changed: (certificate: TlsFiles) => void): () => void {
  const files = certificateFiles(config);
  let current = '';
  const reload = async (): Promise<void> => {
    const certificate = await loadCertificate(config);
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

const made = new WeakMap<Config, Promise<void>>();

/** Once for all doors, which open at the same time: else one would write its key beside the certificate of another. */
function makeOnce(config: Config, certFile: string, keyFile: string): Promise<void> {
  const making = made.get(config) ?? makeUnlessThere(config, certFile, keyFile);
  made.set(config, making);
  return making;
}

async function makeUnlessThere(config: Config, certFile: string, keyFile: string): Promise<void> {
  if (existsSync(certFile)) return;
  const host = `smtp.${config.settings.SERVICE_DOMAIN}`;
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
  await writeFile(keyFile, pems.private, { mode: 0o600 });
  await writeFile(certFile, pems.cert);
}
