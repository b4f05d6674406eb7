import type { KeyProblem, TlsFiles } from '#libs/kernel';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeCertificate, type CertificateProblem } from '../certificate-judgement.js';
import type { Check } from '../check.js';
import { error, ok, skipped, warning, type Remark } from '../finding.js';
import { localHost, LOOPBACK } from '../local-host.js';
import type { Patient } from '../patient.js';
import { probeSmtp } from '../smtp-probe.js';

/** Both certificates as they lie in files, and that of the relay as it is really served. */
export const certificatesCheck: Check = {
  name: 'tls',
  title: 'TLS',
  asks: 'Do the certificates fit their keys and names, until when, and are they the ones that are served?',
  look: async (patient) => [...(await lookAtRelay(patient)), ...(await lookAtHttp(patient))],
};

async function lookAtRelay(patient: Patient): Promise<Remark[]> {
  const { settings, dataDir } = patient.config;
  const isOwn = settings.SMTP_TLS_CERT === undefined;
  const place = {
    cert: settings.SMTP_TLS_CERT ?? join(dataDir, 'smtp-certificate.pem'),
    key: settings.SMTP_TLS_KEY ?? join(dataDir, 'smtp-certificate-key.pem'),
  };
  const files = await readFiles(place);
  if (files instanceof Error && isOwn)
    return [skipped({ subject: 'relay', message: 'The relay has no certificate yet; the first start makes one.' })];
  if (files instanceof Error) return [unreadable('SMTP_TLS_CERT', files)];
  const name = isOwn ? 'SMTP_TLS_CERT (unset)' : 'SMTP_TLS_CERT';
  const remarks = judged({ name, host: patient.hostName, variable: 'SMTP_TLS' }, files);
  return [...remarks, ...(await compareServed(patient, files))];
}

async function lookAtHttp({ config }: Patient): Promise<Remark[]> {
  const { HTTP_TLS_CERT: cert, HTTP_TLS_KEY: key, PUBLIC_URL } = config.settings;
  if (cert === undefined || key === undefined) return [];
  const files = await readFiles({ cert, key });
  if (files instanceof Error) return [unreadable('HTTP_TLS_CERT', files)];
  const url = new URL(PUBLIC_URL);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const purpose = { name: 'HTTP_TLS_CERT', host: hostname, variable: 'HTTP_TLS' } as const;
  // No authority certifies a name of this machine alone, so it is the name that is wrong.
  const other = LOOPBACK.has(hostname) ? nameBeside(hostname, files) : null;
  if (other === null) return judged(purpose, files);
  // Everything else stays: the service speaks TLS on the port that it has.
  Object.assign(url, { protocol: 'https:', hostname: other });
  const problem = error({
    subject: 'PUBLIC_URL',
    message: `It is ${PUBLIC_URL}, but HTTP_TLS_CERT stands for ${other}: links that leave the service lead to the reader's own machine.`,
    fix: `PUBLIC_URL=${url.href.replace(/\/$/, '')}`,
  });
  return [problem, ...judged({ ...purpose, host: other }, files)];
}

/** A name that a certificate stands for, where it does not stand for `host`; null where it has none, or stands for it. */
function nameBeside(host: string, { cert }: TlsFiles): string | null {
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

const unreadable = (subject: string, { message }: Error): Remark =>
  error({
    subject,
    message: `It cannot be read: ${message}.`,
    fix: 'Correct the path, or let the account of the service read the file.',
  });

interface Purpose {
  name: string;
  /** The name that clients ask for. */
  host: string;
  variable: 'SMTP_TLS' | 'HTTP_TLS';
}

function judged(purpose: Purpose, files: TlsFiles): Remark[] {
  const problems = judgeCertificate(files, purpose.host, new Date());
  if (problems.length > 0) return problems.map((problem) => explain(purpose, problem));
  return [ok({ subject: purpose.name, message: `It stands for ${purpose.host}, and its chain is complete.` })];
}

function explain({ name: subject, host, variable }: Purpose, problem: CertificateProblem): Remark {
  const issue = `Get a certificate for ${host}, for example: certbot certonly --standalone -d ${host}\n${variable}_CERT=/etc/letsencrypt/live/${host}/fullchain.pem\n${variable}_KEY=/etc/letsencrypt/live/${host}/privkey.pem`;
  switch (problem.kind) {
    case 'unreadable':
      return error({ subject, message: `It is no certificate: ${problem.reason}.`, fix: issue });
    case 'key':
      return error({ subject, ...ofKey(variable)[problem.problem] });
    case 'expired':
      return error({ subject, message: `It expired on ${day(problem.on)}; clients refuse it.`, fix: issue });
    case 'not_yet':
      return error({ subject, message: `It is valid from ${day(problem.from)} on. Is the clock right?`, fix: issue });
    case 'expires_soon':
      return warning({
        subject,
        message: `It expires on ${day(problem.on)}, in ${problem.days} days; its renewal should have come by now.`,
        fix: 'certbot renew, and look why its timer did not; the service takes the new files by itself.',
        facts: { days: problem.days },
      });
    case 'other_names':
      return error({ subject, message: `It does not stand for ${host}, but for ${problem.names}.`, fix: issue });
    case 'self_signed':
      return warning({
        subject,
        message: 'It is signed by itself: clients that check certificates refuse it, the others can be listened to.',
        fix: issue,
      });
    case 'own_root':
      return warning({
        subject,
        message: `Its chain is complete, but only those know its root who were given it: ${oneLine(problem.root)}. Other clients refuse it.`,
        fix: `Give that root to all who connect, or let an authority that everybody knows issue it. ${issue}`,
      });
    case 'incomplete_chain':
      return warning({
        subject,
        message: `Its issuer is not in the file and not known to everybody: ${oneLine(problem.issuer)}. Many clients refuse it.`,
        fix: `Let ${variable}_CERT name the file with the whole chain (fullchain.pem).`,
      });
  }
}

const ofKey = (variable: Purpose['variable']): Record<KeyProblem, { message: string; fix: string }> => ({
  other: {
    message: `${variable}_KEY is the key of another certificate, so no TLS can be spoken.`,
    fix: `Let ${variable}_CERT and ${variable}_KEY name the two files of one certificate.`,
  },
  encrypted: {
    message: `${variable}_KEY is encrypted, and nobody is there to type its passphrase, so no TLS can be spoken.`,
    fix: `Decrypt it for the service: openssl pkey -in <file of ${variable}_KEY> -out <new file of ${variable}_KEY>`,
  },
  unreadable: {
    message: `${variable}_KEY holds no private key in PEM, so no TLS can be spoken.`,
    fix: `Let ${variable}_CERT and ${variable}_KEY name the two files of one certificate.`,
  },
});

const oneLine = (name: string): string => name.replaceAll('\n', ', ');

/** The service takes new files within seconds; an older certificate is served when it could not. */
async function compareServed({ config, hostName, signal }: Patient, { cert }: TlsFiles): Promise<Remark[]> {
  const { SMTP_HOST, SMTP_PORT: port } = config.settings;
  const address = localHost(SMTP_HOST);
  const subject = `relay (${address}:${port})`;
  try {
    const { secured } = await probeSmtp({ address, port, host: hostName, ehlo: 'localhost', signal });
    if (secured === null)
      return [
        error({
          subject,
          message: 'It offers no STARTTLS.',
          fix: 'Is another program on SMTP_PORT? Stop it, or give SMTP_PORT another port.',
        }),
      ];
    if (secured.certificate?.fingerprint256 === new X509Certificate(cert).fingerprint256)
      return [ok({ subject, message: 'It serves this certificate.' })];
    return [
      error({
        subject,
        message: 'It serves another certificate than the file has.',
        fix: 'Look into the log for "the new smtp certificate cannot be used", or restart the service.',
      }),
    ];
  } catch (problem) {
    return [
      skipped({ subject, message: `What is really served could not be looked at: ${(problem as Error).message}.` }),
    ];
  }
}

const day = (date: Date): string => date.toISOString().slice(0, 10);
