import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import { ReturnPath } from './return-path.js';
import { UnsubscribeLink } from './unsubscribe-link.js';

const config = (fill: number, url = 'https://mail.example') =>
  loadConfig('standalone', { MASTER_KEY: Buffer.alloc(32, fill).toString('base64'), PUBLIC_URL: url });
const link = new UnsubscribeLink(config(7));
const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);

describe('UnsubscribeLink', () => {
  it('names email and recipient below the public URL', () => {
    const id = newId('em');
    const url = link.url(id, 149);
    expect(url).toMatch(/^https:\/\/mail\.example\/unsubscribe\/[A-Za-z0-9_-]{44}$/);
    expect(link.read(tokenOf(url))).toEqual({ emailId: id, ordinal: 149 });
    expect(new UnsubscribeLink(config(7, 'https://mail.example/post/')).url(id, 0)).toMatch(
      /^https:\/\/mail\.example\/post\/unsubscribe\/[^/]+$/,
    );
  });

  it('rejects tokens that are altered, foreign or for another purpose', () => {
    const id = newId('em');
    const token = tokenOf(link.url(id, 0));
    expect(new UnsubscribeLink(config(8)).read(token)).toBeNull();
    expect(link.read(new ReturnPath(config(7)).trace({ emailId: id, ordinal: 0, alone: false }))).toBeNull();
    for (let i = 0; i < token.length; i++) {
      const forged = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1);
      expect(link.read(forged), forged).toBeNull();
    }
    for (const junk of ['', 'x', `${token}A`, token.slice(1), `${token} `, `${token}=`, token.replace(/.$/, '+')])
      expect(link.read(junk), junk).toBeNull();
  });
});
