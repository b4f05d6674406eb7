import { isLoopbackHost } from '../network/loopback-host.js';

const DAY_MS = 86_400_000;

interface OpenIdSettings {
  OIDC_ISSUER?: string;
  OIDC_CLIENT_ID?: string;
  OIDC_CLIENT_SECRET?: string;
}

interface CertificateSettings {
  HTTPS_PORT?: number;
  HTTP_TLS_CERT?: string;
  HTTP_TLS_KEY?: string;
  ACME_HTTP_PORT?: number;
  ACME_TERMS_AGREED: boolean;
  ACME_DIRECTORY_URL: string;
}

interface PeriodSettings {
  RETENTION_BODIES: number;
  RETENTION_MESSAGES: number;
  RETENTION_ATTEMPTS: number;
  RETENTION_EVENTS: number;
  STATS_RAW_DAYS: number;
}

/** Whether a sentence for the operator is about one of these settings. */
export const mentions = (sentence: string, names: ReadonlySet<string>): boolean =>
  (sentence.match(/[A-Z][A-Z0-9_]+/g) ?? []).some((name) => names.has(name));

/** The settings, and the names of those that were read. */
export function trackReads<S extends object>(settings: S): { s: S; read: Set<PropertyKey> } {
  const read = new Set<PropertyKey>();
  const s = new Proxy(settings, {
    get(target, name) {
      read.add(name);
      return target[name as keyof S];
    },
  });
  return { s, read };
}

export function openIdClashes({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }: OpenIdSettings): string[] {
  const all = [issuer, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET];
  const problems: string[] = [];
  if (all.some((value) => value === undefined) && all.some((value) => value !== undefined))
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together.');
  if (issuer !== undefined && !issuer.startsWith('https:') && !isLoopbackHost(new URL(issuer).hostname))
    problems.push('OIDC_ISSUER must be an https URL, unless the provider runs on this machine.');
  return problems;
}

export function certificateClashes(s: CertificateSettings): string[] {
  const problems: string[] = [];
  if ((s.HTTP_TLS_CERT === undefined) !== (s.HTTP_TLS_KEY === undefined))
    problems.push('HTTP_TLS_CERT and HTTP_TLS_KEY must be set together.');
  if (s.HTTPS_PORT !== undefined && s.HTTP_TLS_CERT === undefined && !s.ACME_TERMS_AGREED)
    problems.push('HTTPS_PORT requires HTTP_TLS_CERT and HTTP_TLS_KEY, or ACME_TERMS_AGREED=true.');
  if (s.ACME_HTTP_PORT !== undefined && !s.ACME_TERMS_AGREED)
    problems.push('ACME_TERMS_AGREED=true is required with ACME_HTTP_PORT: no certificate is ordered without it.');
  if (!s.ACME_DIRECTORY_URL.startsWith('https:'))
    problems.push('ACME_DIRECTORY_URL must be an https URL (RFC 8555 section 6.1).');
  return problems;
}

/** Data that others are made from, or compared with, are kept as long as these. */
export function periodClashes(s: PeriodSettings): string[] {
  const problems: string[] = [];
  if (s.RETENTION_BODIES > s.RETENTION_MESSAGES || s.RETENTION_ATTEMPTS > s.RETENTION_MESSAGES)
    problems.push('RETENTION_BODIES and RETENTION_ATTEMPTS must not be longer than RETENTION_MESSAGES.');
  const eventDays = Math.ceil((s.RETENTION_EVENTS / DAY_MS) * 100) / 100;
  if (s.STATS_RAW_DAYS < eventDays)
    problems.push(
      `STATS_RAW_DAYS must not be shorter than RETENTION_EVENTS: ${s.STATS_RAW_DAYS} days are less than ${eventDays}.`,
    );
  return problems;
}
