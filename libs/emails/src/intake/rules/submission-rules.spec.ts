import { describe, expect, it, vi } from 'vitest';
import { attachmentsFrom, forbiddenAttachments } from '../attachments/attachment-rules.js';
import {
  attachmentsRule,
  bccRule,
  ccRule,
  fromRule,
  headersRule,
  mailboxes,
  replyToRule,
  scheduledAtRule,
  subjectRule,
  tagsRule,
  toRule,
} from './submission-rules.js';

const codes = (problems: { path: string; code: string }[]) => problems.map((p) => `${p.path} ${p.code}`.trim());

describe('submission rules', () => {
  it('accept one mailbox per string and count strings, not commas', () => {
    expect(toRule('ada@example.com')).toEqual([]);
    expect(toRule(['ada@example.com', 'Grace <grace@example.com>'])).toEqual([]);
    expect(codes(toRule('a@example.com, b@example.com'))).toEqual(['invalid_address']);
    expect(codes(toRule(['ok@example.com', 'G: a@example.com, b@example.com;']))).toEqual(['[1] invalid_address']);
    expect(codes(toRule(['b@example.com\r\nBcc: e@example.com']))).toEqual(['[0] invalid_address']);
    expect(codes(toRule(Array(51).fill('a@example.com')))).toEqual(['too_many']);
    expect(codes(toRule([]))).toEqual(['too_few']);
    expect(codes(fromRule({ address: 'a@example.com' }))).toEqual(['invalid_type']);
  });

  it('accept quoted local parts of recipients and of reply addresses, but not of the sender', () => {
    const quoted = 'Ada <"ada lovelace"@example.com>';
    for (const rule of [toRule, ccRule, bccRule, replyToRule]) expect(rule([quoted, '"a,b"@example.com'])).toEqual([]);
    expect(mailboxes([quoted, '"a"@example.com'])).toEqual([
      { name: 'Ada', address: '"ada lovelace"@example.com' },
      { name: '', address: 'a@example.com' },
    ]);
    for (const from of [quoted, '"a"@example.com', '"Ada, L." <"a b"@example.com>'])
      expect(fromRule(from)).toEqual([
        { path: '', code: 'invalid_address', message: 'must not have a quoted local part' },
      ]);
    expect(fromRule('"Ada, L." <a@example.com>')).toEqual([]);
  });

  it('refuse line breaks and control characters in every value that becomes a header', () => {
    for (const bad of ['a\r\nX: 1', 'a\nb', 'a\rb', 'a\0b', 'a\u2028b', 'a\u0085b', 'a\u001bb', 'a\u009fb', 'a\tb']) {
      expect(codes(subjectRule(bad)), JSON.stringify(bad)).toEqual(['invalid_characters']);
      expect(codes(headersRule({ 'X-A': bad }))).toEqual(['.X-A invalid_header']);
      expect(codes(tagsRule({ a: bad }))).toEqual(['.a invalid_characters']);
    }
    expect(codes(headersRule({ 'X-A': { prepared: true, value: 'a\r\nX: 1' } }))).toEqual(['.X-A invalid_type']);
  });

  it('refuse headers that Postloft or other servers set', () => {
    for (const name of [
      'From',
      'bCC',
      'Message-ID',
      'Content-Type',
      'X-Service-Tag-a',
      'DKIM-Signature',
      'ARC-Seal',
      'Arc-Message-Signature',
      'Authentication-Results',
      'Delivered-To',
      'feedback-ID',
      'X-Postloft-Ref',
      'Resent-To',
      'Return-Path',
      'Received',
    ])
      expect(codes(headersRule({ [name]: 'x' })), name).toEqual([`.${name} invalid_header`]);
    for (const name of ['', 'X Y', 'X:Y', 'X_Y', 'X.Y', 'X=?Y?=', 'X\r\nBcc', 'Bcc ', 'Ünï'])
      expect(headersRule({ [name]: 'x' }), name).toHaveLength(1);
    expect(
      headersRule({ 'X-Order': '42', 'List-Unsubscribe': '<https://example.com/u>', 'In-Reply-To': '<a@b>' }),
    ).toEqual([]);
  });

  it('read comments as a part of the name, and never another address from them', () => {
    for (const text of ['Shop (Sales) <a@shop.example>', '(Sales) Shop <a@shop.example>', '<a@shop.example> (Sales)']) {
      for (const rule of [fromRule, toRule, ccRule, bccRule, replyToRule]) expect(rule(text), text).toEqual([]);
      const name = text.includes('Shop') ? 'Shop (Sales)' : 'Sales';
      expect(mailboxes(text)).toEqual([{ address: 'a@shop.example', name }]);
    }
    expect(fromRule('"Shop, Inc." (Sales) <a@shop.example>')).toEqual([]);
    for (const bad of [
      'Shop (e@evil.example) <a@shop.example>',
      'a@shop.example (x) <e@evil.example>',
      'a(x)@shop.example',
    ])
      for (const rule of [fromRule, toRule, replyToRule]) expect(codes(rule(bad)), bad).toEqual(['invalid_address']);
    expect(headersRule({ 'Reply-To': 'Help (24/7) <help@shop.example>' })).toEqual([]);
  });

  it('allow structured headers up to 32 KiB, others up to 2 KiB', () => {
    const ids = (count: number) =>
      Array.from({ length: count }, (_, i) => `<${String(i).padStart(60, 'x')}@mail.example.com>`).join(' ');
    for (const name of ['References', 'in-reply-to', 'List-Unsubscribe', 'Disposition-Notification-To']) {
      const value = name.startsWith('Disp') ? ids(60).replaceAll('> <', '>, <') : ids(60);
      expect(headersRule({ [name]: value }), name).toEqual([]);
      expect(codes(headersRule({ [name]: ids(500) })), name).toEqual([`.${name} too_long`]);
    }
    expect(headersRule({ References: ids(400) })).toEqual([]);
    expect(headersRule({ References: ids(500) })[0].message).toBe('must have at most 32768 bytes');
    expect(codes(headersRule({ 'X-A': ids(60), Comments: ids(60) }))).toEqual(['.X-A too_long', '.Comments too_long']);
  });

  it('accept a time with an offset, at most 72 hours ahead', () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(scheduledAtRule(inHours(71))).toEqual([]);
    expect(codes(scheduledAtRule(inHours(73)))).toEqual(['too_late']);
    expect(codes(scheduledAtRule(inHours(-1)))).toEqual(['in_the_past']);
    for (const bad of ['tomorrow', '2026-01-01', '2026-01-01T10:00:00', 1_800_000_000, '2026-13-40T00:00:00Z'])
      expect(codes(scheduledAtRule(bad))).toEqual(['invalid_timestamp']);
  });

  it('refuse a day that does not exist instead of using the next month', () => {
    vi.useFakeTimers({ now: new Date('2027-02-27T12:00:00Z') });
    try {
      expect(scheduledAtRule('2027-02-28T12:00:00Z')).toEqual([]);
      expect(codes(scheduledAtRule('2027-02-29T12:00:00Z'))).toEqual(['invalid_timestamp']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('name the allowed form for several addresses in one string and for an invalid header name', () => {
    for (const text of ['a@example.com, b@example.com', 'a@example.com;b@example.com'])
      expect(toRule(text)[0].message, text).toBe('must be one address per string, not a list');
    const said = (name: string, value: string) => headersRule({ [name]: value })[0].message;
    expect(said(`X-${'a'.repeat(80)}`, 'v')).toMatch(/at most \d+ characters/);
    expect(said('From', 'v')).toMatch(/^must not be set/);
    expect(said('X-A', ' ')).toBe('must not be empty');
  });

  it('require strict base64, and refuse programs by name and by their first bytes', () => {
    const file = (over: object) => ({
      filename: 'a.pdf',
      content: Buffer.from('%PDF-1.7').toString('base64'),
      ...over,
    });
    expect(attachmentsRule([file({})])).toEqual([]);
    for (const content of ['a', 'YW-_', 'YWI', 'YWJjZA=', 7])
      expect(codes(attachmentsRule([file({ content })])), String(content)).toEqual(['[0].content invalid_base64']);
    for (const filename of ['', '../a.pdf', 'a/b.pdf', 'a\\b.pdf', 'a\0.pdf', '\u202efdp.exe', '..'])
      expect(codes(attachmentsRule([file({ filename })])), filename).toEqual(['[0].filename invalid_filename']);
    const forbidden = (over: object) => codes(forbiddenAttachments(attachmentsFrom([file(over)])));
    expect(forbidden({})).toEqual([]);
    expect(forbidden({ filename: 'run.exe', content_type: 'application/pdf' })).toEqual(['[0].filename executable']);
    expect(forbidden({ filename: 'run.txt.sh' })).toEqual(['[0].filename executable']);
    expect(forbidden({ content: Buffer.from('MZ\x90').toString('base64') })).toEqual(['[0].filename executable']);
    expect(forbidden({ filename: 'a.html', content_type: 'text/html' })).toEqual(['[0].content_type type_not_allowed']);
  });

  it('counts characters as JSON Schema does, not units of UTF-16', () => {
    expect(codes(tagsRule({ a: '😀'.repeat(50) }))).toEqual([]);
    expect(codes(tagsRule({ a: '😀'.repeat(51) }))).toEqual(['.a too_long']);
    expect(codes(tagsRule({ a: `${'😀'.repeat(49)}ab` }))).toEqual(['.a too_long']);
    expect(codes(subjectRule('😀'.repeat(998)))).toEqual([]);
    expect(codes(subjectRule('😀'.repeat(999)))).toEqual(['invalid_length']);
  });
});
