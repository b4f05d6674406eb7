import { certificateStates, type CertificateState } from '#libs/certificates';
import { certificateFindings, type TlsFiles } from '#libs/kernel';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOOPBACK, reachableHost } from '../../addresses.js';
import { error, ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import { probeSmtp } from '../../probes/smtp-probe.js';

/** The certificate files of the relay and the API, and the certificate that the relay serves. */
export const certificatesCheck: Check = {
  name: 'tls',
  title: 'TLS',
  run: async (context) => {
    const issued = await issuedCertificates(context);
    const isIssued = issued.some(({ host, notAfter }) => host === context.hostName && notAfter !== null);
    return [
      ...(isIssued ? [] : await checkRelay(context)),
      ...(await checkApi(context)),
      ...issued.map((state) => issuedResult(state)),
    ];
  },
};

/** Of the hosts that need a certificate by ACME; none without ACME_TERMS_AGREED, and without a database. */
async function issuedCertificates(context: CheckContext): Promise<CertificateState[]> {
  if (!context.config.settings.ACME_TERMS_AGREED) return [];
  // The check of the engines reports a database that cannot be read.
  const database = await context.database().catch(() => null);
  return database === null ? [] : certificateStates(database).catch(() => []);
}

/** What is wrong with a certificate by ACME. A failure alone does no harm while the certificate lasts. */
function issuedResult({ host, notAfter, lastError, failures }: CertificateState): Result {
  const fix =
    `Correct what the authority reports: it must reach http://${host}/.well-known/acme-challenge/ on port 80 of this service.\n` +
    'Then: certificates renew';
  const failed = lastError === null ? '' : ` The last order failed (${failures} in a row): ${lastError}`;
  if (notAfter === null)
    return lastError === null
      ? warning({
          subject: host,
          message: 'Its certificate by ACME has not been ordered yet.',
          fix: 'Start the service.',
        })
      : error({ subject: host, message: `It has no certificate by ACME.${failed}`, fix });
  const until = notAfter.toISOString().slice(0, 10);
  if (notAfter.getTime() <= Date.now())
    return error({ subject: host, message: `Its certificate by ACME expired on ${until}.${failed}`, fix });
  if (lastError !== null)
    return warning({ subject: host, message: `Its certificate by ACME is valid until ${until}.${failed}`, fix });
  return ok({ subject: host, message: `Its certificate by ACME is valid until ${until}.` });
}

async function checkRelay(context: CheckContext): Promise<Result[]> {
  const { settings, dataDir } = context.config;
  const isGenerated = settings.SMTP_TLS_CERT === undefined;
  const files = await readFiles({
    cert: settings.SMTP_TLS_CERT ?? join(dataDir, 'smtp-certificate.pem'),
    key: settings.SMTP_TLS_KEY ?? join(dataDir, 'smtp-certificate-key.pem'),
  });
  if (files instanceof Error && isGenerated)
    return [skipped({ subject: 'relay', message: 'The relay has no certificate yet; the first start makes one.' })];
  if (files instanceof Error) return [unreadable('SMTP_TLS_CERT', files)];
  const subject = isGenerated ? 'SMTP_TLS_CERT (unset)' : 'SMTP_TLS_CERT';
  const results = checkFiles({ subject, host: context.hostName, setting: 'SMTP_TLS' }, files);
  return [...results, await compareWithServed(context, files)];
}

async function checkApi({ config }: CheckContext): Promise<Result[]> {
  const { HTTP_TLS_CERT: cert, HTTP_TLS_KEY: key, PUBLIC_URL } = config.settings;
  if (cert === undefined || key === undefined) return [];
  const files = await readFiles({ cert, key });
  if (files instanceof Error) return [unreadable('HTTP_TLS_CERT', files)];
  const url = new URL(PUBLIC_URL);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const use = { subject: 'HTTP_TLS_CERT', host: hostname, setting: 'HTTP_TLS' } as const;
  // No authority issues a certificate for a loopback name, so the mistake is in PUBLIC_URL.
  const certified = LOOPBACK.has(hostname) ? otherNameOf(files, hostname) : null;
  if (certified === null) return checkFiles(use, files);
  Object.assign(url, { protocol: 'https:', hostname: certified });
  const problem = error({
    subject: 'PUBLIC_URL',
    message: `It is ${PUBLIC_URL}, but HTTP_TLS_CERT stands for ${certified}: links in mail lead to the reader's own machine.`,
    fix: `PUBLIC_URL=${url.href.replace(/\/$/, '')}`,
  });
  return [problem, ...checkFiles({ ...use, host: certified }, files)];
}

/** A name of the certificate; null when it is valid for `host` or has no name. */
function otherNameOf({ cert }: TlsFiles, host: string): string | null {
  try {
    const certificate = new X509Certificate(cert);
    if (certificate.checkHost(host) !== undefined) return null;
    return /DNS:([^,\s]+)/.exec(certificate.subjectAltName ?? '')?.[1].replace('*', 'api') ?? null;
  } catch {
    return null;
  }
}

async function readFiles({ cert, key }: TlsFiles): Promise<TlsFiles | Error> {
  try {
    return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
  } catch (problem) {
    return problem as Error;
  }
}

const unreadable = (subject: string, { message }: Error): Result =>
  error({
    subject,
    message: `It cannot be read: ${message}.`,
    fix: 'Correct the path, or give the account of the service permission to read the file.',
  });

function checkFiles(use: CertificateUse, files: TlsFiles): Result[] {
  const found = certificateFindings(files, use);
  if (found.length === 0)
    return [ok({ subject: use.subject, message: `It stands for ${use.host}, and its chain is complete.` })];
  return found.map(({ level, message, fix, facts }) =>
    (level === 'error' ? error : warning)({ subject: use.subject, message, fix, facts }),
  );
}

interface CertificateUse {
  subject: string;
  /** The name that clients verify. */
  host: string;
  /** The settings without _CERT and _KEY. */
  setting: 'SMTP_TLS' | 'HTTP_TLS';
}

/** The service loads new files within seconds; it goes on with the old certificate when it cannot. */
async function compareWithServed(context: CheckContext, { cert }: TlsFiles): Promise<Result> {
  const { SMTP_HOST, SMTP_PORT: port } = context.config.settings;
  const address = reachableHost(SMTP_HOST);
  const subject = `relay (${address}:${port})`;
  try {
    const options = { address, port, host: context.hostName, ehlo: 'localhost', signal: context.signal };
    const { tls: served } = await probeSmtp(options);
    if (served === null)
      return error({
        subject,
        message: 'It offers no STARTTLS.',
        fix: 'Is another program on SMTP_PORT? Stop it, or give SMTP_PORT another port.',
      });
    if (served.certificate?.fingerprint256 === new X509Certificate(cert).fingerprint256)
      return ok({ subject, message: 'It serves this certificate.' });
    return error({
      subject,
      message: 'It serves another certificate than that in the file.',
      fix: 'Look for "the new smtp certificate cannot be used" in the log, or restart the service.',
    });
  } catch (problem) {
    return skipped({ subject, message: `The served certificate is not known: ${(problem as Error).message}.` });
  }
}
