import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { SecretBox } from '#libs/kernel';
import { RecipientToken } from './recipient-token.js';

const masterKey = Buffer.alloc(32, 7);
const keys = { settings: { MASTER_KEY: masterKey }, earlierMasterKeys: [] };
const next = { settings: { MASTER_KEY: Buffer.alloc(32, 8) }, earlierMasterKeys: [] };
const key = SecretBox.deriveKey(masterKey, 'trace');

describe('RecipientToken', () => {
  it.each([8, 16])('ends with the first %i octets of the HMAC-SHA-256 of email and ordinal', (macBytes) => {
    const token = new RecipientToken(keys, 'trace', macBytes);
    for (let ordinal = 0; ordinal < 256; ordinal += 1) {
      const emailId = newId('em');
      const name = Buffer.concat([Buffer.from(emailId.slice(3), 'hex'), Buffer.from([ordinal])]);
      const mac = createHmac('sha256', key).update(name).digest().subarray(0, macBytes);
      const written = token.write({ emailId, ordinal });
      expect(written.toString('hex')).toBe(Buffer.concat([name, mac]).toString('hex'));
      expect(token.read(written)).toEqual({ emailId, ordinal });
    }
  });

  it('rejects a token of another length, another purpose or another key', () => {
    const token = new RecipientToken(keys, 'trace', 8);
    const written = token.write({ emailId: newId('em'), ordinal: 1 });
    expect(token.read(written.subarray(0, -1))).toBeNull();
    expect(token.read(Buffer.concat([written, written]))).toBeNull();
    expect(token.read(Buffer.alloc(0))).toBeNull();
    expect(new RecipientToken(keys, 'return path', 8).read(written)).toBeNull();
    expect(new RecipientToken(next, 'trace', 8).read(written)).toBeNull();
    const after = new RecipientToken({ ...next, earlierMasterKeys: [masterKey] }, 'trace', 8);
    expect(after.read(written)).toEqual(token.read(written));
  });
});
