import { findCertificateProblems, type CertificateProblem } from './certificate-problems.js';
import type { KeyProblem, TlsFiles } from './tls-files.js';

/** What is wrong with a certificate, for the operator: in the warnings of `--check-config` and in the doctor. */
export interface CertificateFinding {
  kind: CertificateProblem['kind'];
  level: 'warning' | 'error';
  message: string;
  fix: string;
  facts?: Readonly<Record<string, unknown>>;
}

interface CertificateUse {
  /** The name that clients verify. */
  host: string;
  /** The settings without _CERT and _KEY. */
  setting: 'SMTP_TLS' | 'HTTP_TLS';
}

type Finding = Omit<CertificateFinding, 'kind'>;
type Details = Omit<Finding, 'level'>;
const error = (details: Details): Finding => ({ level: 'error', ...details });
const warning = (details: Details): Finding => ({ level: 'warning', ...details });

/** Empty if clients can use the certificate. */
export function certificateFindings(files: TlsFiles, use: CertificateUse): CertificateFinding[] {
  return findCertificateProblems(files, use.host, new Date()).map((problem) => ({
    kind: problem.kind,
    ...findingOf(use, problem),
  }));
}

function findingOf({ host, setting }: CertificateUse, problem: CertificateProblem): Finding {
  const issue = `Get a certificate for ${host}, for example: certbot certonly --standalone -d ${host}\n${setting}_CERT=/etc/letsencrypt/live/${host}/fullchain.pem\n${setting}_KEY=/etc/letsencrypt/live/${host}/privkey.pem`;
  switch (problem.kind) {
    case 'unreadable':
      return error({ message: `It is no certificate: ${problem.reason}.`, fix: issue });
    case 'key':
      return error({ ...keyProblems(setting)[problem.problem] });
    case 'expired':
      return error({ message: `It expired on ${day(problem.on)}; clients refuse it.`, fix: issue });
    case 'not_yet_valid':
      return error({ message: `It is valid from ${day(problem.from)} on. Is the clock right?`, fix: issue });
    case 'expires_soon':
      return warning({
        message: `It expires on ${day(problem.on)}, in ${problem.days} days; it should have been renewed by now.`,
        fix: 'certbot renew, and find out why its timer did not; the service loads the new files by itself.',
        facts: { days: problem.days },
      });
    case 'name_mismatch':
      return error({ message: `It does not stand for ${host}, but for ${problem.names}.`, fix: issue });
    case 'self_signed':
      return warning({
        message:
          'It is signed by itself: clients that verify certificates refuse it, and others are open to interception.',
        fix: issue,
      });
    case 'private_root':
      return warning({
        message: `Its chain is complete, but only those know its root who were given it: ${oneLine(problem.root)}. Other clients refuse it.`,
        fix: `Give that root to all who connect, or use a certificate of a public authority. ${issue}`,
      });
    case 'incomplete_chain':
      return warning({
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

const day = (date: Date): string => date.toISOString().slice(0, 10);
