import { createHmac } from 'node:crypto';

/**
 * Every request carries two signatures. Both cover the time of the attempt, so that a captured request cannot be replayed
 * later, and the exact bytes of the body. During a rotation each is present twice, by the new secret and by the old one.
 */
export const SECRET_PREFIX = 'whsec_';

interface Signed {
  /** The `evt_…` of the event, the same at every attempt. */
  id: string;
  /** Whole Unix seconds; libraries reject milliseconds. */
  timestamp: number;
  body: string;
}

/** `v1=<hex>`: HMAC-SHA-256 over `t.body`; the key is the secret as shown, with its prefix. */
function serviceSignature(secret: string, { timestamp, body }: Signed): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** Standard Webhooks: `v1,<base64>` of HMAC-SHA-256 over `id.timestamp.body`; the key is the decoded part of the secret. */
function standardSignature(secret: string, { id, timestamp, body }: Signed): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** The four headers that authenticate a request. `secrets` are the valid ones, the newest first. */
export function signatureHeaders(secrets: readonly string[], signed: Signed): Record<string, string> {
  const ours = secrets.map((secret) => serviceSignature(secret, signed));
  return {
    'x-service-signature': [`t=${signed.timestamp}`, ...ours].join(','),
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestamp),
    'webhook-signature': secrets.map((secret) => standardSignature(secret, signed)).join(' '),
  };
}

/** The three headers of Standard Webhooks under the names that receivers of Resend's webhooks expect. */
export function svixHeaders(headers: Record<string, string>): Record<string, string> {
  return {
    'svix-id': headers['webhook-id'],
    'svix-timestamp': headers['webhook-timestamp'],
    'svix-signature': headers['webhook-signature'],
  };
}
