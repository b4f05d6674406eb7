import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import { ReturnPath } from './return-path.js';

const key = Buffer.alloc(32, 7).toString('base64');
const returnPath = new ReturnPath(loadConfig('standalone', { MASTER_KEY: key, SERVICE_DOMAIN: 'mail.example' }));

describe('ReturnPath', () => {
  it('names the mail and the recipient, in lower case and within 64 octets', () => {
    const id = newId('em');
    const address = returnPath.address(id, 49);
    expect(address).toMatch(/^b\+[a-z2-7]+@bounces\.mail\.example$/);
    expect(address.split('@')[0].length).toBeLessThanOrEqual(64);
    expect(returnPath.read(address.toUpperCase())).toEqual({ emailId: id, ordinal: 49 });
  });

  it('stands below the sending domain where that leads to us, and is read there too', () => {
    const id = newId('em');
    const address = returnPath.address(id, 2, 'shop.example.com');
    expect(address).toMatch(/^b\+[a-z2-7]+@bounces\.shop\.example\.com$/);
    expect(address.split('@')[0]).toBe(returnPath.address(id, 2).split('@')[0]);
    expect(returnPath.read(address)).toEqual({ emailId: id, ordinal: 2 });
    expect(returnPath.read(address.replace('@bounces.', '@'))).toBeNull();
    expect(returnPath.read(`${address}@elsewhere.example`)).toBeNull();
  });

  it('stays within the length of a path, whatever the domain', () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(17)}.ex`;
    expect(returnPath.address(newId('em'), 0, long)).toHaveLength(254);
    expect(returnPath.address(newId('em'), 0, `x${long}`)).toMatch(/@bounces\.mail\.example$/);
  });

  it('reads nothing that was altered or made elsewhere', () => {
    const address = returnPath.address(newId('em'), 0);
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

  it('traces a transaction in the message, by another key than the envelope', () => {
    const id = newId('em');
    const trace = returnPath.trace(id, 7);
    expect(trace).toMatch(/^[A-Za-z0-9_-]{44}$/);
    expect(returnPath.readTrace(` ${trace}\r\n`)).toEqual({ emailId: id, ordinal: 7 });
    for (let i = 0; i < trace.length; i++) {
      const forged = trace.slice(0, i) + (trace[i] === 'A' ? 'B' : 'A') + trace.slice(i + 1);
      expect(returnPath.readTrace(forged), forged).toBeNull();
    }
    for (const junk of ['', 'x', `${trace}A`, trace.slice(1), `${trace.slice(1)}=`])
      expect(returnPath.readTrace(junk), junk).toBeNull();
  });
});
