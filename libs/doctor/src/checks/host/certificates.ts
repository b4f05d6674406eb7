import type { KeyProblem, TlsFiles } from '#libs/kernel';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOOPBACK, reachableHost } from '../../addresses.js';
import { error, ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import { findCertificateProblems, type CertificateProblem } from '../../probes/certificate-problems.js';
import { probeSmtp } from '../../probes/smtp-probe.js';

/** The certificate files of the relay and the API, and the certificate that the relay serves. */
export const certificatesCheck: Check = {
  name: 'tls',
  title: 'TLS',
  run: async (context) => [...(await checkRelay(context)), ...(await checkApi(context))],
};

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

interface CertificateUse {
  subject: string;
  /** The name that clients verify. */
  host: string;
  /** The settings without _CERT and _KEY. */
  setting: 'SMTP_TLS' | 'HTTP_TLS';
}

function checkFiles(use: CertificateUse, files: TlsFiles): Result[] {
  const problems = findCertificateProblems(files, use.host, new Date());
  if (problems.length > 0) return problems.map((problem) => resultOf(use, problem));
  return [ok({ subject: use.subject, message: `It stands for ${use.host}, and its chain is complete.` })];
}

function resultOf({ subject, host, setting }: CertificateUse, problem: CertificateProblem): Result {
  const issue = `Get a certificate for ${host}, for example: certbot certonly --standalone -d ${host}\n${setting}_CERT=/etc/letsencrypt/live/${host}/fullchain.pem\n${setting}_KEY=/etc/letsencrypt/live/${host}/privkey.pem`;
  switch (problem.kind) {
    case 'unreadable':
      return error({ subject, message: `It is no certificate: ${problem.reason}.`, fix: issue });
    case 'key':
      return error({ subject, ...keyProblems(setting)[problem.problem] });
    case 'expired':
      return error({ subject, message: `It expired on ${day(problem.on)}; clients refuse it.`, fix: issue });
    case 'not_yet_valid':
      return error({ subject, message: `It is valid from ${day(problem.from)} on. Is the clock right?`, fix: issue });
    case 'expires_soon':
      return warning({
        subject,
        message: `It expires on ${day(problem.on)}, in ${problem.days} days; it should have been renewed by now.`,
        fix: 'certbot renew, and find out why its timer did not; the service loads the new files by itself.',
        facts: { days: problem.days },
      });
    case 'name_mismatch':
      return error({ subject, message: `It does not stand for ${host}, but for ${problem.names}.`, fix: issue });
    case 'self_signed':
      return warning({
        subject,
        message:
          'It is signed by itself: clients that verify certificates refuse it, and others are open to interception.',
        fix: issue,
      });
    case 'private_root':
      return warning({
        subject,
        message: `Its chain is complete, but only those know its root who were given it: ${oneLine(problem.root)}. Other clients refuse it.`,
        fix: `Give that root to all who connect, or use a certificate of a public authority. ${issue}`,
      });
    case 'incomplete_chain':
      return warning({
        subject,
        message: `Its issuer is not in the file and is no public root: ${oneLine(problem.issuer)}. Many clients refuse it.`,
        fix: `Set ${setting}_CERT to the file with the whole chain (fullchain.pem).`,
      });
  }
}

const keyProblems = (setting: CertificateUse['setting']): Record<KeyProblem, { message: string; fix: string }> => ({
  other: {
    message: `${setting}_KEY is the key of another certificate, so TLS cannot be offered.`,
    fix: `Set ${setting}_CERT and ${setting}_KEY to the two files of one certificate.`,
  },
  encrypted: {
    message: `${setting}_KEY is encrypted, and the service has no passphrase, so TLS cannot be offered.`,
    fix: `Decrypt it for the service: openssl pkey -in <file of ${setting}_KEY> -out <new file of ${setting}_KEY>`,
  },
  unreadable: {
    message: `${setting}_KEY holds no private key in PEM, so TLS cannot be offered.`,
    fix: `Set ${setting}_CERT and ${setting}_KEY to the two files of one certificate.`,
  },
});

const oneLine = (name: string): string => name.replaceAll('\n', ', ');

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

const day = (date: Date): string => date.toISOString().slice(0, 10);
