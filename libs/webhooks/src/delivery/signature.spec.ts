import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { describe, expect, it } from 'vitest';
import { signatureHeaders, svixHeaders } from './signature.js';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

const now = Math.floor(Date.now() / 1000);
const body = JSON.stringify({ type: 'email.sent', data: { subject: 'Grüße 💌 \ud83d' } });
const signed = { id: 'evt_01978c0e5f7b7c3a9d21f0b64c1e88aa', timestamp: now, body };

describe('signatureHeaders', () => {
  const secret = newSecret();
  const headers = signatureHeaders([secret], signed);

  it('is accepted by the stock Standard Webhooks library', () => {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it.each([
    ['another body', { body: `${body} ` }],
    ['another id', { headers: { 'webhook-id': 'evt_01978c0e5f7b7c3a9d21f0b64c1e88ab' } }],
    ['a later time', { headers: { 'webhook-timestamp': String(now + 1) } }],
    ['another secret', { secret: newSecret() }],
  ])('is rejected by it for %s', (_name, change: { body?: string; headers?: object; secret?: string }) => {
    const verifier = new Webhook(change.secret ?? secret);
    expect(() => verifier.verify(change.body ?? body, { ...headers, ...change.headers })).toThrow(
      'No matching signature',
    );
  });

  it('is rejected by it if any byte of the body differs', () => {
    const bytes = Buffer.from(body);
    const verifier = new Webhook(secret);
    const accepted = [...bytes.keys()].filter((i) => {
      const flipped = Buffer.from(bytes);
      flipped[i] ^= 1;
      try {
        return verifier.verify(flipped, headers) !== undefined;
      } catch {
        return false;
      }
    });
    expect(accepted).toEqual([]);
  });

  it('is rejected by it if replayed six minutes later', () => {
    const old = signatureHeaders([secret], { ...signed, timestamp: now - 360 });
    expect(() => new Webhook(secret).verify(body, old)).toThrow('too old');
  });

  it('signs "t.body" with the secret as shown in the header of this service', () => {
    const hex = createHmac('sha256', Buffer.from(secret, 'utf8'))
      .update(Buffer.from(`${now}.${body}`, 'utf8'))
      .digest('hex');
    expect(headers['x-service-signature']).toBe(`t=${now},v1=${hex}`);
  });
});

describe('during a rotation', () => {
  const [young, old] = [newSecret(), newSecret()];
  const headers = signatureHeaders([young, old], signed);

  it.each([
    ['the new secret', young],
    ['the old secret', old],
  ])('is accepted with %s, under both names of the headers', (_name, secret) => {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(new Svix(secret).verify(body, svixHeaders(headers))).toEqual(JSON.parse(body));
  });

  it('has one time and two signatures in the header of this service', () => {
    const hex = (secret: string) => createHmac('sha256', secret).update(`${now}.${body}`).digest('hex');
    expect(headers['x-service-signature']).toBe(`t=${now},v1=${hex(young)},v1=${hex(old)}`);
  });
});
