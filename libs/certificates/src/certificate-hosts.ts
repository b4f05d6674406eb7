import { isIP } from 'node:net';
import type { Config } from '#libs/kernel';

/** Public authorities issue no certificate for these (RFC 6761, RFC 2606). */
const NEVER_PUBLIC = /(?:^|\.)(?:localhost|test|invalid)$/;
const PUBLIC_DIRECTORY = /(?:^|\.)letsencrypt\.org$/;

/**
 * The hosts that need a certificate by ACME; none without ACME_TERMS_AGREED. Files of the settings take precedence, and
 * without HTTPS_PORT a proxy has the certificates of HTTP.
 * @param trackingHosts hosts of the tracking links of customers
 */
export function certificateHosts({ settings }: Config, trackingHosts: readonly string[]): string[] {
  if (!settings.ACME_TERMS_AGREED) return [];
  const { HTTPS_PORT, HTTP_TLS_CERT, PUBLIC_URL, PUBLIC_SMTP_HOST, RESEND_HOST, SERVICE_DOMAIN, SMTP_TLS_CERT } =
    settings;
  const hosts: string[] = [];
  if (HTTPS_PORT !== undefined) hosts.push(...trackingHosts);
  if (HTTPS_PORT !== undefined && HTTP_TLS_CERT === undefined)
    hosts.push(new URL(PUBLIC_URL).hostname, ...(RESEND_HOST === undefined ? [] : [RESEND_HOST]));
  if (SMTP_TLS_CERT === undefined) hosts.push(`smtp.${SERVICE_DOMAIN}`, PUBLIC_SMTP_HOST);
  const isPublicAuthority = PUBLIC_DIRECTORY.test(new URL(settings.ACME_DIRECTORY_URL).hostname);
  const isName = (host: string) =>
    host.includes('.') && isIP(host) === 0 && !(isPublicAuthority && NEVER_PUBLIC.test(host));
  return [...new Set(hosts.map((host) => host.toLowerCase()))].filter(isName);
}
