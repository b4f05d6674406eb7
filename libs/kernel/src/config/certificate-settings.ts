import { flag, mailAddress, port, url, type SettingParser } from './setting-parsers.js';

const optional = <T>(parse: SettingParser<T>): { parse: SettingParser<T | undefined> } => ({ parse });

/** Settings of HTTPS and of certificates by ACME; see docs/certificates.md. */
export const CERTIFICATE_SETTINGS = {
  HTTPS_PORT: optional(port),
  ACME_TERMS_AGREED: { parse: flag, fallback: 'false' },
  ACME_EMAIL: optional(mailAddress),
  ACME_DIRECTORY_URL: { parse: url('https', 'http'), fallback: 'https://acme-v02.api.letsencrypt.org/directory' },
  ACME_HTTP_PORT: optional(port),
} as const;
