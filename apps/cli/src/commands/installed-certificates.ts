import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateStates, requestRenewal } from '#libs/certificates';
import type { Config } from '#libs/kernel';
import type { Database } from '#libs/persistence';

interface ListedCertificate {
  host: string;
  /** Where it comes from. */
  source: 'acme' | 'HTTP_TLS_CERT' | 'SMTP_TLS_CERT' | 'self-signed';
  not_after: string | null;
  last_error: string | null;
}

/** The certificates of this installation, for the command line. */
export class Certificates {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  async list(): Promise<ListedCertificate[]> {
    const { dataDir, settings } = this.config;
    const { HTTP_TLS_CERT, PUBLIC_URL, SERVICE_DOMAIN, SMTP_TLS_CERT } = settings;
    const issued = (await certificateStates(this.database)).map(({ host, notAfter, lastError }) => ({
      ...{ host, source: 'acme' as const, not_after: notAfter?.toISOString() ?? null, last_error: lastError },
    }));
    const smtp = `smtp.${SERVICE_DOMAIN}`;
    const files: ListedCertificate[] = [];
    if (HTTP_TLS_CERT !== undefined)
      files.push(await inFile({ host: new URL(PUBLIC_URL).hostname, source: 'HTTP_TLS_CERT', file: HTTP_TLS_CERT }));
    if (SMTP_TLS_CERT !== undefined)
      files.push(await inFile({ host: smtp, source: 'SMTP_TLS_CERT', file: SMTP_TLS_CERT }));
    else if (!issued.some(({ host, not_after }) => host === smtp && not_after !== null))
      files.push(await inFile({ host: smtp, source: 'self-signed', file: join(dataDir, 'smtp-certificate.pem') }));
    return [...files, ...issued].toSorted((a, b) => a.host.localeCompare(b.host));
  }

  /** The hosts that are due now. @throws if there is none, with a sentence that says why */
  async renew(host: string | null): Promise<string[]> {
    if (!this.config.settings.ACME_TERMS_AGREED)
      throw new Error('No certificate is ordered by ACME: ACME_TERMS_AGREED is not true.');
    const hosts = await requestRenewal(this.database, host?.toLowerCase() ?? null);
    if (hosts.length === 0)
      throw new Error(
        host === null
          ? 'No host needs a certificate by ACME yet.'
          : `${host} has no certificate by ACME; see "certificates list".`,
      );
    return hosts;
  }
}

async function inFile({ host, source, file }: Pick<ListedCertificate, 'host' | 'source'> & { file: string }) {
  try {
    const { validTo } = new X509Certificate(await readFile(file));
    return { host, source, not_after: new Date(validTo).toISOString(), last_error: null };
  } catch (error) {
    return { host, source, not_after: null, last_error: (error as Error).message };
  }
}
