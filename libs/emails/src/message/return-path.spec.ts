import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import { ReturnPath } from './return-path.js';

const key = Buffer.alloc(32, 7).toString('base64');
const returnPath = new ReturnPath(loadConfig('standalone', { MASTER_KEY: key, SERVICE_DOMAIN: 'mail.example' }));

describe('ReturnPath', () => {
  it('names email and recipient, in lower case and within 64 octets', () => {
    const id = newId('em');
    const address = returnPath.address({ emailId: id, ordinal: 49, alone: false });
    expect(address).toMatch(/^b\+[a-z2-7]+@bounces\.mail\.example$/);
    expect(address.split('@')[0].length).toBeLessThanOrEqual(64);
    expect(returnPath.read(address.toUpperCase())).toEqual({ emailId: id, ordinal: 49, alone: false });
  });

  it('says whether the recipient was alone, in tokens that cannot be changed into each other', () => {
    const shared = { emailId: newId('em'), ordinal: 149, alone: false };
    const alone = { ...shared, alone: true };
    const [sharedPath, alonePath] = [shared, alone].map((transaction) => returnPath.address(transaction));
    expect(alonePath.slice(0, 20)).toBe(sharedPath.slice(0, 20));
    expect([sharedPath, alonePath].map((address) => returnPath.read(address))).toEqual([shared, alone]);
    const traces = [shared, alone].map((transaction) => returnPath.trace(transaction));
    expect(traces.map((trace) => returnPath.readTrace(trace))).toEqual([shared, alone]);
    expect(new Set([...traces, sharedPath, alonePath]).size).toBe(4);
  });

  it('is below the sending domain on request, and is accepted there', () => {
    const id = newId('em');
    const address = returnPath.address({ emailId: id, ordinal: 2, alone: false }, 'shop.example.com');
    expect(address).toMatch(/^b\+[a-z2-7]+@bounces\.shop\.example\.com$/);
    expect(address.split('@')[0]).toBe(returnPath.address({ emailId: id, ordinal: 2, alone: false }).split('@')[0]);
    expect(returnPath.read(address)).toEqual({ emailId: id, ordinal: 2, alone: false });
    expect(returnPath.read(address.replace('@bounces.', '@'))).toBeNull();
    expect(returnPath.read(`${address}@elsewhere.example`)).toBeNull();
  });

  it('has at most the length of a path for any domain', () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(17)}.ex`;
    expect(returnPath.address({ emailId: newId('em'), ordinal: 0, alone: false }, long)).toHaveLength(254);
    expect(returnPath.address({ emailId: newId('em'), ordinal: 0, alone: false }, `x${long}`)).toMatch(
      /@bounces\.mail\.example$/,
    );
  });

  it('rejects altered and foreign addresses', () => {
    const address = returnPath.address({ emailId: newId('em'), ordinal: 0, alone: false });
    expect(returnPath.read(address.replace('@', 'a@'))).toBeNull();
    const other = new ReturnPath(
      loadConfig('standalone', { MASTER_KEY: Buffer.alloc(32, 8).toString('base64'), SERVICE_DOMAIN: 'mail.example' }),
    );
    expect(other.read(address)).toBeNull();
    for (let i = 2; i < address.indexOf('@') - 1; i++) {
      const forged = address.slice(0, i) + (address[i] === 'a' ? 'b' : 'a') + address.slice(i + 1);
      expect(returnPath.read(forged), forged).toBeNull();
    }
    for (const junk of ['', 'b+', 'x@y', 'b+!!!@bounces.mail.example']) expect(returnPath.read(junk)).toBeNull();
  });

  it('traces a transaction in the message, with another key than in the envelope', () => {
    const id = newId('em');
    const trace = returnPath.trace({ emailId: id, ordinal: 7, alone: false });
    expect(trace).toMatch(/^[A-Za-z0-9_-]{44}$/);
    expect(returnPath.readTrace(` ${trace}\r\n`)).toEqual({ emailId: id, ordinal: 7, alone: false });
    for (let i = 0; i < trace.length; i++) {
      const forged = trace.slice(0, i) + (trace[i] === 'A' ? 'B' : 'A') + trace.slice(i + 1);
      expect(returnPath.readTrace(forged), forged).toBeNull();
    }
    for (const junk of ['', 'x', `${trace}A`, trace.slice(1), `${trace.slice(1)}=`])
      expect(returnPath.readTrace(junk), junk).toBeNull();
  });
});
