import { describe, expect, it } from 'vitest';
import { addressErasure } from './erase-address.js';

const erasedAs = 'erased-00@erased.invalid';
const erasure = addressErasure({
  accountId: 'acc_1',
  address: 'Ann@Example.com',
  erasedAs,
  written: ['ANN@example.COM'],
});

describe('addressErasure', () => {
  it.each([
    ['ann@example.com', erasedAs],
    ['<Ann@EXAMPLE.com>, bob@example.com', `<${erasedAs}>, bob@example.com`],
    ['550 5.1.1 ann@example.com: no such user. ann@example.com.', `550 5.1.1 ${erasedAs}: no such user. ${erasedAs}.`],
    ['https://x.example/?m=ann@example.com&n=1', `https://x.example/?m=${erasedAs}&n=1`],
    ['https://x.example/?m=Ann%40example.com', `https://x.example/?m=${erasedAs}`],
    ['https://x.example/?u=%3Dann%40example.com', `https://x.example/?u=%3D${erasedAs}`],
    ['joann@example.com', 'joann@example.com'],
    ['jo.ann@example.com', 'jo.ann@example.com'],
    ['ann@example.com.au', 'ann@example.com.au'],
    ['ann@example.community', 'ann@example.community'],
    ['ann+news@example.com', 'ann+news@example.com'],
    ['', ''],
  ])('rewrites %j to %j', (text, expected) => {
    expect(erasure.rewrite(text)).toBe(expected);
  });

  it('rewrites every text of JSON', () => {
    const json = { to: ['ann@example.com', 'Bob <bob@example.com>'], n: 1, none: null, deep: { a: 'Ann@example.com' } };
    expect(erasure.rewriteJson(json)).toEqual({
      to: [erasedAs, 'Bob <bob@example.com>'],
      n: 1,
      none: null,
      deep: { a: erasedAs },
    });
  });

  it('removes client and IP address from the visits of the recipient, and from no other event', () => {
    const rewritten = (event: object) => JSON.parse(erasure.rewriteEvent(JSON.stringify(event))) as unknown;
    const opened = { recipient: 'ann@example.com', opened_at: 't', ip: '192.0.2.1', user_agent: 'Mail' };
    expect(rewritten(opened)).toEqual({ recipient: erasedAs, opened_at: 't', ip: null, user_agent: null });
    const click = { link: 'https://x.example/', ipAddress: '192.0.2.1', userAgent: 'Mail' };
    const clicked = { recipient: 'ann@example.com', clicked_at: 't', click };
    const anonymous = { link: 'https://x.example/', ipAddress: null, userAgent: null };
    expect(rewritten({ type: 'email.clicked', data: clicked })).toEqual({
      type: 'email.clicked',
      data: { recipient: erasedAs, clicked_at: 't', click: anonymous },
    });
    const delivered = { recipient: 'ann@example.com', ip: '192.0.2.25' };
    expect(rewritten(delivered)).toEqual({ recipient: erasedAs, ip: '192.0.2.25' });
    const others = { ...opened, recipient: 'bob@example.com' };
    expect(rewritten(others)).toEqual(others);
  });

  it('looks for texts of which one is in everything that contains the address', () => {
    for (const text of ['ann@example.com', 'ann%40example.com']) expect(erasure.needles).toContain(text);
  });
});

describe('the erasure of an address that has several Unicode forms', () => {
  const composed = 'hồ.việt@example.com';
  const decomposed = composed.normalize('NFD');
  /** As Windows-1258 writes Vietnamese: the tone mark is a character of its own. */
  const windows = 'hô\u0300.viê\u0323t@example.com';
  const forms = [composed, decomposed, windows];

  it.each(forms)('asked for as %j, replaces every form', (address) => {
    const found = addressErasure({ accountId: 'acc_1', address, erasedAs, written: [address] });
    expect(found.address).toBe(composed);
    for (const form of forms) {
      expect(found.rewrite(`<${form.toUpperCase()}>: unknown`)).toBe(`<${erasedAs}>: unknown`);
      expect(found.rewrite(`?m=${encodeURIComponent(form)}&n=1`)).toBe(`?m=${erasedAs}&n=1`);
      expect(found.needles).toContain(form);
    }
  });

  it('replaces a form that is mixed', () => {
    const found = addressErasure({ accountId: 'acc_1', address: composed, erasedAs, written: [composed] });
    expect(found.rewrite(`to hồ.vie\u0302\u0323t@example.com`)).toBe(`to ${erasedAs}`);
  });

  it('keeps text without the address as it is', () => {
    const found = addressErasure({ accountId: 'acc_1', address: composed, erasedAs, written: [composed] });
    expect(found.rewrite(`Jose\u0301 <x${decomposed}>`)).toBe(`Jose\u0301 <x${decomposed}>`);
  });
});
