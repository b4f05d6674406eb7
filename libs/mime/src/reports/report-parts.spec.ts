import { describe, expect, it } from 'vitest';
import { fieldValue } from './lenient-head.js';
import { atOnce, readReportParts } from './report-parts.js';

const tree = (lines: string[], end = '\n') => atOnce(readReportParts(Buffer.from(lines.join(end), 'latin1')));
const shape = (lines: string[], end?: string) =>
  tree(lines, end).parts.map(({ type, body }) => [type, body.toString()]);

const NESTED = [
  'Content-Type: multipart/mixed; boundary="out"',
  '',
  'preamble',
  '--out',
  'Content-Type: multipart/report; report-type=delivery-status; boundary=in',
  '',
  '--in',
  '',
  'words',
  '--in',
  'Content-Type: message/delivery-status',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('Reporting-MTA: dns; a\n').toString('base64'),
  '--in--',
  'epilogue',
  '--out',
  'Content-Type: text/html',
  '',
  '<p>',
  '--out--',
  'not read',
];
const LEAVES = [
  ['text/plain', 'words'],
  ['message/delivery-status', 'Reporting-MTA: dns; a\n'],
  ['text/html', '<p>'],
];

describe('readReportParts', () => {
  it.each(['\n', '\r\n'])('returns the leaves of all levels in order, with any line ends', (end) => {
    expect(shape(NESTED, end)).toEqual(LEAVES);
  });

  it('reads multiparts and messages without closing lines', () => {
    expect(shape(NESTED.filter((line) => !line.endsWith('--') && line !== 'epilogue' && line !== 'not read'))).toEqual(
      LEAVES,
    );
  });

  it('reads a multipart without its delimiters as text', () => {
    expect(shape(['Content-Type: multipart/report; boundary=x', '', '--y', '', 'words'])).toEqual([
      ['text/plain', '--y\n\nwords'],
    ]);
    expect(shape(['Content-Type: multipart/report', '', 'words'])).toEqual([['text/plain', 'words']]);
  });

  it('reads messages without blank lines, and with the lines of an mbox file', () => {
    const { fields, parts } = tree([
      'From a@b Sat Jan 1',
      'Subject : =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
      'Content-Type: multipart/mixed;',
      'boundary=b',
      '--b',
      'Content-Type: text/html',
      '<p>words</p>',
      '--b--',
    ]);
    expect(fieldValue(fields, 'subject')).toBe('Grüße');
    expect(parts.map(({ type, body }) => [type, body.toString()])).toEqual([['text/html', '<p>words</p>']]);
  });

  it('reads a header to its end, even a long one', () => {
    for (let octets = 8_100; octets < 8_250; octets += 1) {
      const fill = Array.from({ length: 100 }, () => `X-Fill: ${'x'.repeat(70)}`);
      const left = octets - fill.join('\n').length;
      const { fields, parts } = tree([...fill, `X-Left: ${'x'.repeat(left)}`, 'Subject: far', '', 'words']);
      expect([fields.length, fieldValue(fields, 'subject'), parts[0].body.toString()]).toEqual([102, 'far', 'words']);
    }
  });

  it('does not split a returned message', () => {
    const inner = ['Content-Type: multipart/mixed; boundary=i', '', '--i', '', 'x', '--i--'];
    const outer = ['Content-Type: multipart/report; boundary=o', '', '--o', 'Content-Type: message/rfc822', ''];
    expect(shape([...outer, ...inner, '--o--'])).toEqual([['message/rfc822', inner.join('\n')]]);
  });

  it('reads an empty message', () => {
    expect(tree([])).toMatchObject({ fields: [], parts: [{ type: 'text/plain' }] });
  });
});
