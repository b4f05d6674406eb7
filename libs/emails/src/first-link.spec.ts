import { describe, expect, it } from 'vitest';
import { firstLink } from './first-link.js';
import { encodeParts } from './intake/stored-parts.js';

const inHtml = (html?: string) =>
  firstLink({
    format: 'parts',
    body: encodeParts({ format: 'parts', ...(html === undefined ? {} : { html }), headers: [], attachments: [] }),
  });

describe('firstLink', () => {
  it('finds the first web link, however its tag is written', () => {
    expect(inHtml('<p><a href="https://one.example/a?b=1&amp;c=2">x</a><a href="https://two.example">')).toBe(
      'https://one.example/a?b=1&c=2',
    );
    expect(inHtml(`<A class='b' HREF = 'http://one.example'>`)).toBe('http://one.example');
    expect(inHtml('<a href=https://bare.example/x>')).toBe('https://bare.example/x');
  });

  it('passes over what is no web link', () => {
    expect(inHtml('<a name="x"><a href="mailto:a@b.example"><a href="#top"><a href="https://c.example">')).toBe(
      'https://c.example',
    );
    expect(inHtml('<abbr href="https://no.example">')).toBeNull();
    expect(inHtml()).toBeNull();
  });

  it('reads a relayed message too', () => {
    const body = Buffer.from('Content-Type: text/html\r\n\r\n<a href="https://one.example">x</a>\r\n');
    expect(firstLink({ format: 'mime', body })).toBe('https://one.example');
  });

  it('is not held up by hostile HTML, by the measure of plain HTML of the same size', () => {
    const cost = (html: string) => {
      const begun = performance.now();
      inHtml(html);
      return performance.now() - begun;
    };
    const size = 2_000_000;
    const least = (html: string) => Math.min(cost(html), cost(html), cost(html));
    const plain = least('<b x="y">'.repeat(size / 9));
    for (const hostile of ['<a ', '<a href', '<a\n', '<a href="', ' '])
      expect(least('<a '.concat(hostile.repeat(size / hostile.length)))).toBeLessThan(20 * plain + 50);
  });
});
