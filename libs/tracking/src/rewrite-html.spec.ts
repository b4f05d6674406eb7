import { describe, expect, it } from 'vitest';
import { rewriteHtml } from './rewrite-html.js';

const NEW = 'https://track.example.com/t/c/x';
/** Replaces every http link. */
const rewritten = (html: string) =>
  rewriteHtml(html, { link: (href) => (/^https?:\/\//i.test(href) ? NEW : null), append: null });
async function seen(html: string): Promise<string[]> {
  const links: string[] = [];
  await rewriteHtml(html, { link: (href) => (links.push(href), null), append: null });
  return links;
}

describe('rewriteHtml', () => {
  it.each([
    ['<a href="https://a.example/x">x</a>', `<a href="${NEW}">x</a>`],
    ["<A  HREF = 'https://a.example/x' class=b>", `<A  HREF = '${NEW}' class=b>`],
    ['<a href=https://a.example/x title="t">', `<a href=${NEW} title="t">`],
    ['<a href=https://a.example/x>', `<a href=${NEW}>`],
    ['<map><area shape=rect href="https://a.example/">', `<map><area shape=rect href="${NEW}">`],
    ['<svg></svg><a href="https://a.example/">', `<svg></svg><a href="${NEW}">`],
    ['<a href="https://a.example/1" href="https://a.example/2">', `<a href="${NEW}" href="https://a.example/2">`],
    ['é😀\r\n<a\r\nhref="https://a.example/x"\r\n>é</a>', `é😀\r\n<a\r\nhref="${NEW}"\r\n>é</a>`],
    ['<template><a href="https://a.example/">', `<template><a href="${NEW}">`],
  ])('replaces the address and nothing else: %s', async (html, expected) => {
    expect(await rewritten(html)).toBe(expected);
  });

  it.each([
    '<a href="mailto:a@b.example">',
    '<a href="#top"><a name=x><a href><a href="">',
    '<link href="https://a.example/x.css"><base href="https://a.example/"><form action="https://a.example/">',
    '<a data-no-track href="https://a.example/">',
    '<!--[if mso]><a href="https://a.example/"><![endif]-->',
    '<!--[if mso]><v:roundrect href="https://a.example/"></v:roundrect><![endif]-->',
    '<style>a { background: url("https://a.example/") } /* <a href="https://a.example/"> */</style>',
    '<script>"<a href=\'https://a.example/\'>"</script><textarea><a href="https://a.example/"></textarea>',
    '<title><a href="https://a.example/"></title>',
    '<img src="https://a.example/x.png" srcset="https://a.example/y.png 2x">',
    '<svg><a xlink:href="https://a.example/"></a></svg>',
    '<a href="https://a.example/',
    'broken <a <b href="https://a.example/"',
  ])('leaves %s', async (html) => {
    expect(await rewritten(html)).toBe(html);
  });

  it('passes on the decoded address', async () => {
    expect(
      await seen('<a href="https://a.example/?a=1&amp;b=%20&copy;#F"><a href="&#104;ttp://b.example/&lt">'),
    ).toEqual(['https://a.example/?a=1&b=%20©#F', 'http://b.example/<']);
  });

  it('finds links behind downlevel-revealed conditional comments', async () => {
    expect(await seen('<![if !mso]><a href="https://a.example/"><![endif]>')).toEqual(['https://a.example/']);
  });

  it.each([
    ['<body>x</body></html>', '<body>x<img></body></html>'],
    ['x</body>y</BODY >', 'x</body>y<img></BODY >'],
    ['<p>x', '<p>x<img>'],
    ['<p>x\r\n\r\n', '<p>x<img>\r\n\r\n'],
    ['\n', '<img>\n'],
    ['', '<img>'],
    ['<!-- </body> -->x', '<!-- </body> -->x<img>'],
    ['<style>a{}</style>x', '<style>a{}</style>x<img>'],
    ['x<textarea></body>', 'x<textarea></body>'],
    ['<title>x', '<title>x'],
  ])('appends before the last end of the body: %s', async (html, expected) => {
    expect(await rewriteHtml(html, { link: null, append: '<img>' })).toBe(expected);
  });

  it('returns for markup that is expensive to parse', async () => {
    const many = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length));
    const attributes = Array.from({ length: 200_000 }, (_, i) => `b${i}`).join(' ');
    const documents = [
      ...[`<a ${attributes} href="https://a.example/">x</a>`, many('<div>'), many('<a href=x>'), many('<b><i>')],
      ...[many('<table>'), many('&'), many('&amp'), many('<!--'), many('<'), many('</'), many('<a href="')],
      ...[many("<a href='x"), many('<a\t'), many(' '), many('<svg><math>'), many('<textarea>'), many('<a href=x a=b ')],
    ];
    for (const html of documents) {
      const result = await rewriteHtml(html, { link: () => NEW, append: '<img>' });
      expect(result.length).toBeGreaterThanOrEqual(html.length / 8);
    }
  });

  it('replaces across slices of a large document', async () => {
    const link = `<p>${'x'.repeat(997)}</p><a href="https://a.example/x">😀</a>\r\n`;
    const html = link.repeat(500);
    expect(await rewritten(html)).toBe(html.replaceAll('https://a.example/x', NEW));
  });
});
