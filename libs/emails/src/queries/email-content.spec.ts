import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { firstLink } from './email-content.js';
import { encodeParts } from '../message/stored-parts.js';

const inHtml = (html?: string) =>
  firstLink({
    format: 'parts',
    body: encodeParts({ format: 'parts', ...(html === undefined ? {} : { html }), headers: [], attachments: [] }),
  });

describe('firstLink', () => {
  it('finds the first web link for every spelling of the tag', () => {
    expect(inHtml('<p><a href="https://one.example/a?b=1&amp;c=2">x</a><a href="https://two.example">')).toBe(
      'https://one.example/a?b=1&c=2',
    );
    expect(inHtml(`<A class='b' HREF = 'http://one.example'>`)).toBe('http://one.example');
    expect(inHtml('<a href=https://bare.example/x>')).toBe('https://bare.example/x');
  });

  it('skips links that are not web links', () => {
    expect(inHtml('<a name="x"><a href="mailto:a@b.example"><a href="#top"><a href="https://c.example">')).toBe(
      'https://c.example',
    );
    expect(inHtml('<abbr href="https://no.example">')).toBeNull();
    expect(inHtml()).toBeNull();
  });

  it('searches relayed messages too', () => {
    const body = Buffer.from('Content-Type: text/html\r\n\r\n<a href="https://one.example">x</a>\r\n');
    expect(firstLink({ format: 'mime', body })).toBe('https://one.example');
  });

  it.each(['<a ', '<a href', '<a\n', '<a href="', ' '])('searches 2 MB of %j in linear time', (hostile) => {
    const html = `<a ${hostile.repeat(2_000_000 / hostile.length)}`;
    expect(mustReturn(() => inHtml(html))).toBeNull();
  });
});
