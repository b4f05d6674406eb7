import { describe, expect, it } from 'vitest';
import { checkMessage, type CheckedMessage } from './checks.ts';

const CREATED = '2026-06-01T12:00:00.000Z';
const FIELDS: Record<string, string> = {
  From: 'Web shop <orders@shop.example.com>',
  'DKIM-Signature': 'v=1; a=rsa-sha256; d=example.com; s=one; b=x',
  'Message-ID': '<one@shop.example.com>',
  Date: 'Mon, 01 Jun 2026 12:00:05 +0000',
  Subject: 'Your order',
  'List-Unsubscribe': '<https://example.com/u>',
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
};
const NO_FACTS = { links: [], remoteImages: 0, imagesWithoutText: 0, isResponsive: false, fixedWidth: 0, height: 0 };

interface Changes extends Partial<Omit<CheckedMessage, 'fields'>> {
  /** Null removes a field. */
  fields?: Record<string, string | null>;
}

/** A message without fault, except for what is given. */
function checksOf({ fields = {}, ...rest }: Changes = {}) {
  const all = Object.entries({ ...FIELDS, ...fields }).filter(([, value]) => value !== null);
  return checkMessage({
    fields: all.map(([name, value]) => ({ name, value })) as CheckedMessage['fields'],
    html: '<p>Hello</p>',
    text: 'Hello',
    facts: NO_FACTS,
    size: 2_000,
    createdAt: CREATED,
    isFinal: true,
    ...rest,
  });
}
const faults = (changes?: Changes) =>
  checksOf(changes)
    .filter(({ level }) => level !== 'good')
    .map(({ level, title }) => `${level}: ${title}`);
const link = (url: string, text = 'Here') => ({ ...NO_FACTS, links: [{ url, text }] });

describe('checkMessage', () => {
  it('finds no fault in a message in order', () => {
    expect(faults()).toEqual([]);
    expect(checksOf().map(({ title }) => title)).toEqual([
      'Signed and aligned',
      'Message-ID',
      'Date',
      'One-click unsubscribe',
      'HTML and text',
      'Size',
    ]);
  });

  it.each<[string, Changes, string[]]>([
    ['no sender', { fields: { From: null } }, ['bad: No From', 'bad: DKIM is not aligned']],
    ['a sender without a name', { fields: { From: 'orders@shop.example.com' } }, ['note: From has no name']],
    ['an empty name', { fields: { From: ' <orders@shop.example.com>' } }, ['note: From has no name']],
    [
      'a sender that nobody can answer',
      { fields: { From: 'no-reply@shop.example.com' } },
      ['note: From has no name', 'note: Recipients cannot reply'],
    ],
    ['answers elsewhere', { fields: { 'Reply-To': 'a@other.example' } }, ['note: Reply-To is at another domain']],
    ['answers at a parent domain', { fields: { 'Reply-To': 'Help <help@example.com>' } }, []],
    ['no signature', { fields: { 'DKIM-Signature': null } }, ['bad: No DKIM signature']],
    ['no signature yet', { fields: { 'DKIM-Signature': null }, isFinal: false }, ['note: Not signed yet']],
    [
      'a signature of another domain',
      { fields: { 'DKIM-Signature': 'v=1;d=notexample.com' } },
      ['bad: DKIM is not aligned'],
    ],
    ['no Message-ID', { fields: { 'Message-ID': null } }, ['bad: No Message-ID']],
    ['a malformed Message-ID', { fields: { 'Message-ID': 'one@two' } }, ['bad: Message-ID is malformed']],
    ['no date', { fields: { Date: null } }, ['bad: No valid Date']],
    ['an invalid date', { fields: { Date: 'yesterday' } }, ['bad: No valid Date']],
    ['an early date', { fields: { Date: 'Sun, 31 May 2026 11:59:00 +0000' } }, ['bad: Date is wrong']],
    ['a scheduled date', { fields: { Date: 'Thu, 04 Jun 2026 12:00:00 +0000' } }, []],
    ['a late date', { fields: { Date: 'Fri, 05 Jun 2026 13:00:00 +0000' } }, ['bad: Date is wrong']],
    ['no subject', { fields: { Subject: ' ' } }, ['bad: No subject']],
    ['a long subject', { fields: { Subject: 'x'.repeat(71) } }, ['note: Long subject']],
    ['a loud subject', { fields: { Subject: 'BUY NOW' } }, ['bad: Subject in capitals']],
    ['a short word in capitals', { fields: { Subject: 'OK' } }, []],
    ['repeated marks', { fields: { Subject: 'Now!!!' } }, ['bad: Repeated punctuation in the subject']],
    ['no List-Unsubscribe', { fields: { 'List-Unsubscribe': null } }, ['note: No List-Unsubscribe']],
    ['no one-click', { fields: { 'List-Unsubscribe-Post': null } }, ['note: No one-click unsubscribe']],
    ['no text', { text: null }, ['note: No text part']],
    ['no part', { text: null, html: null }, ['note: No readable part']],
    ['only text', { html: null }, []],
    ['much HTML', { html: 'x'.repeat(102 * 1024 + 1) }, ['bad: Gmail clips the HTML']],
    ['as much HTML as Gmail shows', { html: 'x'.repeat(102 * 1024) }, []],
    ['a large message', { size: 10 * 1024 * 1024 + 1 }, ['bad: Large message']],
    [
      'a link that shows another host',
      { facts: link('https://evil.example', 'bank.example.com') },
      ['bad: A link shows a different host'],
    ],
    ['a link without https', { facts: link('http://example.com') }, ['note: Links without https']],
    ['a link to an address', { facts: link('mailto:a@example.com') }, []],
    ['images without alt', { facts: { ...NO_FACTS, imagesWithoutText: 1 } }, ['note: Images without alt']],
    [
      'almost only images',
      { facts: { ...NO_FACTS, remoteImages: 3 }, text: null },
      ['bad: Mostly images', 'note: No text part'],
    ],
  ])('judges %s', (_, changes, expected) => {
    expect(faults(changes)).toEqual(expected);
  });

  it('puts the worst first', () => {
    const levels = checksOf({ fields: { Subject: null, 'List-Unsubscribe': null } }).map(({ level }) => level);
    expect(levels.slice(0, 3)).toEqual(['bad', 'note', 'good']);
  });
});
