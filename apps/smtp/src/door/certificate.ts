import { watchFile, unwatchFile } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, Log } from '#libs/kernel';
import { generate } from 'selfsigned';

export interface Certificate {
  cert: string;
  key: string;
}

const RELOAD_CHECK_MS = 5_000;
const VALID_DAYS = 3_650;

/** The relay's certificate: the operator's PEM files, else one that we sign ourselves once and keep in DATA_DIR. */
export async function loadCertificate(config: Config): Promise<Certificate> {
  const [cert, key] = certificateFiles(config);
  if (config.settings.SMTP_TLS_CERT === undefined) await makeOnce(config, cert, key);
  return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
}

/** Calls back with the new certificate when the files change; an unreadable one is reported and the old one stays. */
export function watchCertificate(config: Config, log: Log, changed: (certificate: Certificate) => void): () => void {
  const files = certificateFiles(config);
  const reload = () =>
    void loadCertificate(config)
      .then(changed)
      .then(() => log.info('the relay certificate was reloaded'))
      .catch((error: Error) =>
        log.warn('the new relay certificate cannot be used; the old one stays', { reason: error.message }),
      );
  for (const file of files) watchFile(file, { interval: RELOAD_CHECK_MS, persistent: false }, reload);
  return () => files.forEach((file) => unwatchFile(file, reload));
}

function certificateFiles({ settings, dataDir }: Config): [cert: string, key: string] {
  return [
    settings.SMTP_TLS_CERT ?? join(dataDir, 'smtp-certificate.pem'),
    settings.SMTP_TLS_KEY ?? join(dataDir, 'smtp-certificate-key.pem'),
  ];
}

async function makeOnce(config: Config, certFile: string, keyFile: string): Promise<void> {
  const exists = await readFile(certFile).then(
    () => true,
    () => false,
  );
  if (exists) return;
  const host = `smtp.${config.settings.SERVICE_DOMAIN}`;
  const pems = await generate([{ name: 'commonName', value: host }], {
    keySize: 2048,
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
