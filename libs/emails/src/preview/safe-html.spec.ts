import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { HOSTILE_HTML } from '../../../../test/support/samples/hostile-html.js';
import { NEWSLETTERS } from '../../../../test/support/messages/newsletters.js';
import { safeHtml } from './safe-html.js';

interface Node {
  nodeName: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Node[];
  value?: string;
}

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  // The title of a drawing is not shown.
  if (node.nodeName !== 'title') for (const child of node.childNodes ?? []) yield* nodesOf(child);
}
/** As a browser reads it. */
const read = (html: string) => [...nodesOf(parse(html))];

/** Everything that a document can name, in all elements and attributes that a browser knows. */
const URL_ATTRIBUTES =
  'src href srcset action formaction data poster background cite longdesc usemap ping code codebase archive classid profile ' +
  'manifest icon lowsrc dynsrc imagesrcset itemid itemtype srcdoc xlink:href content attributionsrc xmlns value from to values';
const ELEMENTS =
  'applet audio base bgsound button canvas dialog embed fencedframe form frame frameset iframe image img input isindex keygen link ' +
  'marquee math menuitem meta model mglyph nextid noembed noframes noscript object param picture plaintext portal script select slot ' +
  'source style svg template textarea title track video xml xmp a area body table td th tr blockquote q del ins html head p';

describe('safeHtml', () => {
  it.each([
    '<!DOCTYPE html><html lang="en"><head><meta name="viewport" content="width=device-width"></head><body bgcolor="#fff">x</body></html>',
    '<table width="600" cellpadding="0" align="center"><tbody><tr><td colspan="2" style="color:red">x</td></tr></tbody></table>',
    '<p class="a" id="b" dir="rtl">1 &lt; 2 &amp; 3<br>é\u{1F600}</p>',
    '<a href="https://shop.example/?a=1&amp;b=2">x</a><a href="mailto:a@b.example">y</a><a href="#top">z</a>',
    '<img src="data:image/png;base64,AA==" alt="a" width="1" height="2"><img src="cid:logo@x">',
    '<style>@media (max-width:9px){a{color:red}}</style><font face="Arial" size="2">x</font>',
    '<ul><li>x</li></ul><details open=""><summary>more</summary>text</details>',
  ])('leaves %s', async (html) => {
    expect(await safeHtml(html)).toBe(html);
  });

  it.each([
    ['<img src="https://a.example/x.png" alt="Logo" width=9>', '<img src="data:," alt="Logo" width="9">'],
    ['<img src=x srcset="x 1x" onerror=alert(1) loading=eager>', '<img src="data:,">'],
    ['<frameset><frame src="//a.example"></frameset>x', 'x'],
    ['<iframe srcdoc="&lt;link&gt;"><b>x</b></iframe>y', 'y'],
    ['<noscript><img src=x></noscript><script>x</script><title>x</title>y', 'y'],
    [
      '<svg><title><b>x</b></title><style>@import "x"</style><a id=go><text>y</text></a></svg>',
      '<style>@-not-loaded \'x\'</style><a id="go">y</a>',
    ],
    ['<form action="//a.example"><button formaction=x id=go>y</button></form>', '<button id="go">y</button>'],
    ['<a href="javascript:x" ping=y target=_top download>x</a>', '<a>x</a>'],
    ['<a href=" java\tscript:x">x</a><a href="/app/settings">y</a><a href=data:,x>z</a>', '<a>x</a><a>y</a><a>z</a>'],
    ['<table background="//a.example/x"><td background="cid:b">x', '<table><td background="cid:b">x'],
    ['<meta http-equiv=refresh content="0;url=x"><base href=x><link rel=y href=z>x', 'x'],
    ['<div style="background:url(&quot;//a.example/x&quot;)">x</div>', `<div style="background:url('data:,')">x</div>`],
    ['<!--[if mso]><img src=x><![endif]--><![if !mso]>y<![endif]>', 'y'],
    ['<plaintext><img src=x>', '&lt;img src=x&gt;'],
    ['<xmp><img src=x></xmp>', '&lt;img src=x&gt;'],
    ['<style></style ><style>a{}', '<style></style><style>a{}</style>'],
    ['<pre>\n\nx</pre>', '<pre>\n\nx</pre>'],
  ])('writes %s as %s', async (html, expected) => {
    expect(await safeHtml(html)).toBe(expected);
  });

  it.each(HOSTILE_HTML)('leaves nothing that runs or loads of $name', async ({ html }) => {
    expectNothingThatLoads(await safeHtml(html));
  });

  it('leaves no address of any element and attribute but those of links', async () => {
    const attributes = URL_ATTRIBUTES.split(' ').map((name) => `${name}="https://evil.example/${name}"`);
    for (const element of ELEMENTS.split(' '))
      for (const around of ['', '<svg>', '<math>', '<table>', '<select>', '<template>', '<noscript>', '<frameset>'])
        expectNothingThatLoads(await safeHtml(`${around}<${element} ${attributes.join(' ')} onload="x" is="y">x`));
  });

  it.each(NEWSLETTERS)('shows the text and the links of "$name"', async (newsletter) => {
    const html = newsletter.html.toString('latin1');
    const safe = read(await safeHtml(html));
    const links = (nodes: Node[]) =>
      nodes
        .filter(({ nodeName }) => nodeName === 'a')
        .map(({ attrs }) => attrs?.find(({ name }) => name === 'href')?.value.trim() ?? '')
        .filter((href) => FOLLOWED.test(href));
    expect(links(safe)).toEqual(links(read(html)));
    expectNothingThatLoads(await safeHtml(html));
  });

  it('cuts off what is expensive to read, and is linear', async () => {
    const many = (text: string) => text.repeat(Math.ceil(500_000 / text.length));
    for (const piece of [
      '<a b=c ',
      '<svg><math>',
      '<style>',
      '<style>/*',
      '<a style="url(',
      '<title>',
      '&amp',
      '<!--',
      '\\',
      '<svg><title/>',
    ])
      expectNothingThatLoads(await safeHtml(many(piece)));
    const attributes = Array.from({ length: 100_000 }, (_, i) => `b${i}`).join(' ');
    expect((await safeHtml(`x<a ${attributes}>y`)).length).toBeLessThan(10);
  });
});

const SHOWN = /^(?:data:|cid:)/;
const FOLLOWED = /^(?:https?:|mailto:|tel:|sms:|#)/i;

function expectNothingThatLoads(html: string): void {
  for (const { nodeName, attrs = [], value = '' } of read(html)) {
    expect(nodeName).not.toMatch(
      /^(?:script|link|base|i?frame|frameset|object|embed|svg|math|form|noscript|template|#comment)$/,
    );
    if (nodeName === 'meta') expect(attrs.map(({ name }) => name)).toEqual(['name', 'content']);
    for (const { name, value: given } of attrs) {
      expect(name).not.toMatch(/^(?:on|ping|srcset|action|formaction|data$|poster|xlink)/);
      if (name === 'src' || name === 'background') expect(given).toMatch(SHOWN);
      if (name === 'href') expect(given.trim()).toMatch(FOLLOWED);
      if (name === 'style')
        expect(given).not.toMatch(/url\((?!'(?:data|cid):)|import|image-set|\\(?!3c |22 |27 |5c )/i);
    }
    if (nodeName === '#text' && html.includes('<style>')) expect(value).not.toMatch(/@import|url\((?!'(?:data|cid):)/i);
  }
}
