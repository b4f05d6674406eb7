import { createHmac, randomBytes } from 'node:crypto';

/**
 * Two signatures on every call (D-36). Both cover the time of the attempt, so that a captured call cannot be replayed
 * later, and the exact bytes of the body.
 */
const PREFIX = 'whsec_';

/** `whsec_` and the base64 of 32 random bytes, as Standard Webhooks writes its symmetric secrets. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** `t=<unix seconds>,v1=<hex>`: HMAC-SHA-256 over `t.body`; the key is the secret as it was shown, prefix included. */
export function serviceSignature(secret: string, timestamp: number, body: string): string {
  const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return `t=${timestamp},v1=${hex}`;
}

/** Standard Webhooks: `v1,<base64>` of HMAC-SHA-256 over `id.timestamp.body`; the key is the decoded part of the secret. */
export function standardSignature(secret: string, signed: { id: string; timestamp: number; body: string }): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const mac = createHmac('sha256', key).update(`${signed.id}.${signed.timestamp}.`).update(signed.body);
  return `v1,${mac.digest('base64')}`;
}

/** The four headers that prove where a call comes from. `timestamp` is in whole Unix seconds: libraries refuse milliseconds. */
export function signatureHeaders(
  secret: string,
  signed: { id: string; timestamp: number; body: string },
): Record<string, string> {
  return {
    'x-service-signature': serviceSignature(secret, signed.timestamp, signed.body),
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestamp),
    'webhook-signature': standardSignature(secret, signed),
  };
}
