import { certificateFindings, ConfigError, tlsFiles, type Config } from '#libs/kernel';
import type { ServiceFacts } from './service-problems.js';

type CertificateFact = ServiceFacts['certificates'][number];

/** Kinds that time brings about; the doctor also reports names and issuers. */
const EXPIRY = new Set(['expired', 'not_yet_valid', 'expires_soon']);

/** Problems of the certificates that the settings name, as far as this process reads them. */
export function configuredCertificates(config: Config): CertificateFact[] {
  const { PUBLIC_URL, SERVICE_DOMAIN } = config.settings;
  return [
    ...factsOf(config, { setting: 'HTTP_TLS', host: new URL(PUBLIC_URL).hostname }),
    ...factsOf(config, { setting: 'SMTP_TLS', host: `smtp.${SERVICE_DOMAIN}` }),
  ];
}

function factsOf(config: Config, use: { setting: 'HTTP_TLS' | 'SMTP_TLS'; host: string }): CertificateFact[] {
  const setting = `${use.setting}_CERT` as const;
  try {
    const files = tlsFiles.read(config, use.setting);
    const found = files === null ? [] : certificateFindings(files, use).filter(({ kind }) => EXPIRY.has(kind));
    return found.map(({ level, message }) => ({ setting, level, message }));
  } catch (error) {
    // The service goes on with the certificate that it has until it is restarted.
    if (error instanceof ConfigError) return [{ setting, level: 'error', message: error.message }];
    throw error;
  }
}
