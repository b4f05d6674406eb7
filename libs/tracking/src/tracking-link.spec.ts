import { describe, expect, it } from 'vitest';
import { MAX_TARGET_BYTES, TrackingLinks } from './tracking-link.js';

const links = new TrackingLinks(Buffer.alloc(32, 7));
const recipient = { emailId: 'em_018f4c2e7b3a7cc19f0e123456789abc', ordinal: 3 };
const click = { ...recipient, index: 258, target: 'https://shop.example/é?a=1&b=2#Part' };
const BASE = 'https://track.example.com';
const HOST = 'track.example.com';
const tokenOf = (url: string | null) => (url ?? '').split('/').at(-1)?.replace('.gif', '') ?? '';

describe('TrackingLinks', () => {
  it('reads what it wrote', () => {
    const url = links.clickUrl(BASE, click);
    expect(url).toMatch(/^https:\/\/track\.example\.com\/t\/c\/[A-Za-z0-9_-]+$/);
    expect(links.readClick(tokenOf(url), HOST)).toEqual(click);
    expect(links.openUrl(BASE, recipient)).toMatch(/^https:\/\/track\.example\.com\/t\/o\/[A-Za-z0-9_-]+\.gif$/);
    expect(links.readOpen(tokenOf(links.openUrl(BASE, recipient)))).toEqual(recipient);
  });

  it('refuses a token with any other character, and every other spelling', () => {
    for (const [token, read] of [
      [tokenOf(links.clickUrl(BASE, click)), (text: string) => links.readClick(text, HOST)],
      [tokenOf(links.openUrl(BASE, recipient)), (text: string) => links.readOpen(text)],
    ] as const) {
      for (let at = 0; at < token.length; at++)
        for (const other of 'Az09-_.~+/= ')
          if (other !== token[at]) expect(read(token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
      for (const text of ['', 'A', `${token}A`, `${token}=`, token.slice(0, -1), ` ${token}`, `${token}\n`])
        expect(read(text)).toBeNull();
    }
  });

  it('reads a click on the host of its link only, in any spelling of the host', () => {
    const token = tokenOf(links.clickUrl('https://track.example.com:8443', click));
    for (const host of [HOST, 'TRACK.Example.com', 'track.example.com.'])
      expect(links.readClick(token, host)).toEqual(click);
    for (const host of [
      '',
      'example.com',
      'track.other.example',
      'xtrack.example.com',
      'track.example.co',
      `${HOST}.x`,
    ])
      expect(links.readClick(token, host)).toBeNull();
    expect(links.readUnboundClick(token)).toBeNull();
  });

  it('keeps opens, clicks and installations apart', () => {
    expect(links.readClick(tokenOf(links.openUrl(BASE, recipient)), HOST)).toBeNull();
    expect(links.readOpen(tokenOf(links.clickUrl(BASE, click)))).toBeNull();
    expect(new TrackingLinks(Buffer.alloc(32, 8)).readClick(tokenOf(links.clickUrl(BASE, click)), HOST)).toBeNull();
  });

  it('tracks no link that would become too long, and no more links than it can count', () => {
    const long = `https://a.example/${'x'.repeat(MAX_TARGET_BYTES)}`;
    expect(links.clickUrl(BASE, { ...click, target: long })).toBeNull();
    const longest = long.slice(0, MAX_TARGET_BYTES);
    expect(links.readClick(tokenOf(links.clickUrl(BASE, { ...click, target: longest })), HOST)?.target).toBe(longest);
    expect(links.clickUrl(BASE, { ...click, index: 65_536 })).toBeNull();
  });
});
