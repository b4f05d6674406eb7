import { describe, expect, it } from 'vitest';
import { judgeDkim } from './dkim-rule.js';

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvw==';
const rsa = (...texts: string[]) => judgeDkim(texts, { algorithm: 'rsa', publicKey: KEY });

describe('judgeDkim', () => {
  it('accepts tags in any order and spacing', () => {
    for (const text of [
      `v=DKIM1; k=rsa; p=${KEY}`,
      `v=DKIM1;k=rsa;p=${KEY};`,
      `v=DKIM1; p=${KEY}`,
      `p=${KEY}`,
      `v = DKIM1 ; p = ${KEY.slice(0, 10)} ${KEY.slice(10)} ; k = rsa ; `,
      `v=DKIM1; t=y:s; s=email; h=sha1:sha256; n=a note; p=${KEY}`,
    ])
      expect(rsa(text), text).toEqual({ verdict: 'verified', observed: [text], error: null });
    const ed = judgeDkim(['v=DKIM1; k=ed25519; p=gE5f'], { algorithm: 'ed25519', publicKey: 'gE5f' });
    expect(ed.verdict).toBe('verified');
  });

  it('says that there is no record', () => {
    expect(rsa()).toMatchObject({ verdict: 'missing', observed: [], error: expect.stringContaining('Add this one') });
  });

  it.each([
    ['v=DKIM1; k=rsa; p=', 'revoked'],
    [`v=DKIM1; k=rsa; p=${KEY.slice(0, -9)}`, 'cut off'],
    ['v=DKIM1; k=rsa; p=AAAA', 'Another key'],
    [`v=DKIM1; k=ed25519; p=${KEY}`, 'k=ed25519'],
    [`k=rsa; v=DKIM1; p=${KEY}`, 'begin with v=DKIM1'],
    [`v=DKIM2; p=${KEY}`, 'begin with v=DKIM1'],
    [`v=DKIM1; h=sha1; p=${KEY}`, 'sha256'],
    [`v=DKIM1; s=tlsrpt; p=${KEY}`, 'email'],
    [`v=DKIM1\\; k=rsa\\; p=${KEY}`, 'backslashes'],
    [`"v=DKIM1; k=rsa; p=${KEY}"`, 'quotation marks'],
    ['v=spf1 -all', 'no DKIM key'],
    [`v=DKIM1; p=${KEY}; p=${KEY}`, 'no DKIM key'],
    ['', 'no DKIM key'],
  ])('refuses %s', (text, error) => {
    const judged = rsa(text);
    expect(judged).toMatchObject({ verdict: 'wrong', observed: [text] });
    expect(judged.error).toContain(error);
  });

  it('refuses several records', () => {
    expect(rsa(`p=${KEY}`, 'v=DKIM1; p=AAAA')).toMatchObject({
      verdict: 'wrong',
      error: expect.stringContaining('more than one record'),
    });
  });
});
