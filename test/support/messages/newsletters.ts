/*
 * Newsletters as templates and editors of campaigns write them: every frame of a document with half of the contents. Their
 * images, styles and links belong to nobody.
 */

export interface Newsletter {
  name: string;
  html: Buffer;
  charset: 'utf-8' | 'iso-8859-1';
  encoding: '8bit' | 'quoted-printable' | 'base64';
  /** The message beside the HTML: alone, with text, with text and AMP, or with an inline image. */
  form: 'alone' | 'alternative' | 'amp' | 'related';
}

type Frame = (content: string) => string;
type Content = (n: number) => string;

const SHOP = 'https://shop.example';
const IMAGES = 'https://images.shop.example';
const link = (n: number, path: string, text: string) => `<a href="${SHOP}/${n}/${path}" >${text}</a>`;

/** How the document around the content is written. */
const FRAMES: Record<string, Frame> = {
  transitional: (
    content,
  ) => `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head><meta http-equiv="Content-Type" content="text/html" /><title>News</title>
<!--[if gte mso 9]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]-->
<style type="text/css">#outlook a { padding: 0 } table, td { border-collapse: collapse } img { display: block }</style></head>
<body style="margin:0;padding:0;background:#eef">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table width="600" bgcolor="#ffffff"><tr><td>${content}</td></tr></table></td></tr></table>
</body></html>`,
  modern: (content) => `<!doctype html>
<html lang="en"><head><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>
  :root { color-scheme: light dark } body { margin: 0; font: 16px/1.5 sans-serif }
  .wrap { max-width: 600px; margin: 0 auto } a[href^="tel:"] { color: inherit } a:not([class]) { color: #065 }
  @media (max-width: 480px) { .wrap { font-size: 14px } .hide { display: none !important } }
</style></head><body><div style="display:none;max-height:0;overflow:hidden">Preheader &zwnj;&nbsp;&zwnj;&nbsp;</div>
<div class="wrap">${content}</div></body></html>
`,
  fragment: (content) => `<div style="font-family:Georgia,serif;color:#333">${content}</div>`,
  uppercase: (
    content,
  ) => `<HTML><HEAD><TITLE>News</TITLE></HEAD><BODY BGCOLOR=#FFFFEE TEXT=#222222 LINK=#0000CC LEFTMARGIN=0 TOPMARGIN=0>
<CENTER><FONT FACE="Verdana" SIZE=2>${content}</FONT></CENTER></BODY></HTML>`,
  unclosed: (content) =>
    `<html><body><table width=600 border=1><tr><td>${content}<tr><td>Second<td>row<p>without ends<div><b>bold`,
  twoBodies: (content) => `<html><body bgcolor=white style="margin:0"><p>First</p></body></html>
<html><head><style>p { color: teal }</style></head><body class="forwarded">${content}</body></html>
<p>After the end</p>`,
  flexible: (content) => `<!doctype html><html><head><style>
html, body { height: 100%; margin: 0 } body { display: flex; flex-direction: column; gap: 12px; justify-content: space-between }
section { border-bottom: 1px solid #999; padding: 8px }</style></head>
<body><header>Shop</header><section>${content}</section><footer>Footer</footer></body></html>`,
  preformatted: (content) => `<!doctype html><body style="white-space:pre-wrap;margin:0;background:#111;color:#ddd">

Dear reader,
${content}
	Yours
</body>`,
  rightToLeft: (content) => `<!doctype html><html dir="rtl" lang="ar"><head><meta charset="utf-8"></head>
<body style="margin:0;font-size:18px"><p>مرحبا بكم في المتجر</p><table dir=rtl width="100%"><tr><td>${content}</td></tr></table></body></html>`,
  // An editor that converted text: comments, processing instructions and CDATA where HTML has none.
  converted: (content) => `<?xml version="1.0"?><!-- > --><!--><html><body><!-- <a href="${SHOP}/comment">x</a> -- > -->
<o:p>&nbsp;</o:p><![CDATA[ not for HTML ]]><p class=MsoNormal>${content}</p></ body></body><!-- </body> -->`,
};

/** Parts of newsletters. `n` is different in every newsletter. */
const CONTENTS: Record<string, Content> = {
  hero: (
    n,
  ) => `<!--[if mso]><table width="600"><tr><td><a href="${SHOP}/${n}/mso">Outlook</a></td></tr></table><![endif]-->
<!--[if !mso]><!-->${link(n, 'hero', `<img src="${IMAGES}/hero-${n}.svg" width="600" height="120" alt="Hero" style="width:100%;height:auto">`)}<!--<![endif]-->
<![if !mso]><p>${link(n, 'reveal', 'Revealed')}</p><![endif]>`,
  button: (
    n,
  ) => `<!--[if mso]><v:roundrect href="${SHOP}/${n}/vml" style="height:40px;v-text-anchor:middle;width:200px" fillcolor="#d62828">
<w:anchorlock/><center>Buy</center></v:roundrect><![endif]-->
<a href="${SHOP}/${n}/buy?utm_source=news&amp;utm_medium=email&amp;id=%7B${n}%7D#Details" style="background:#d62828;border-radius:4px;color:#fff;display:inline-block;line-height:40px;text-align:center;width:200px;mso-hide:all">Buy now</a>
<a class=plain href=${SHOP}/${n}/unquoted>plain</a> <a title='a > b' href = '${SHOP}/${n}/single?q="x"' >single</a>`,
  pictures: (
    n,
  ) => `<picture><source media="(max-width: 480px)" srcset="${IMAGES}/small-${n}.svg 1x, ${IMAGES}/small2-${n}.svg 2x">
<img srcset="${IMAGES}/a-${n}.svg 300w, ${IMAGES}/b-${n}.svg 600w" sizes="(max-width: 480px) 300px, 600px" src="${IMAGES}/a-${n}.svg" alt=""></picture>
<div style="background:url('${IMAGES}/back-${n}.svg') no-repeat;height:50px;padding:4px">${link(n, 'over-background', 'On a picture')}</div>
<td background="${IMAGES}/cell-${n}.svg">${link(n, 'cell', 'In a cell')}</td>`,
  map: (n) => `<img src="${IMAGES}/map-${n}.svg" usemap="#m${n}" width=300 height=80 alt=map><map name="m${n}">
<area shape="rect" coords="0,0,100,80" href="${SHOP}/${n}/area-1" alt="one"><AREA SHAPE=circle COORDS=150,40,30 HREF=${SHOP}/${n}/area-2>
<area shape="default" nohref></map> ${link(n, 'beside', 'Beside')} <a href="#m${n}">Top</a> <a name="m${n}"></a>`,
  columns: (n) =>
    `<table width="100%" cellspacing=8><thead><tr><th colspan=2>Offers<tbody>${[1, 2, 3]
      .map(
        (row) =>
          `<tr><td width="50%" valign=top>${link(n, `left-${row}`, `Left ${row}`)}<td class="hide"><a target=_blank href="${SHOP}/${n}/right-${row}" rel=noopener>Right</a>`,
      )
      .join('')}</table><ul><li>${link(n, 'list', 'In a list')}<li>${link(n, 'list?b', 'And')}</ul>`,
  broken: (
    n,
  ) => `<b><i>${link(n, 'misnested', 'mis</b>nested</i>')}<a href="${SHOP}/${n}/outer">outer<a href="${SHOP}/${n}/inner">inner</a></a>
<table>text before a row<tr>${link(n, 'fostered', 'fostered')}<td>cell</table></div></span>
<p <b class="x">bad tag</p> < a href="${SHOP}/${n}/no-tag"> <a href="${SHOP}/${n}/twice" href="${SHOP}/${n}/second">twice</a> & &bogus; &amp &#0; <3`,
  strange: (n) => `<a href=" ${SHOP}/${n}/space ">space</a> <a href="
${SHOP}/${n}/line">line</a> <a href="HTTPS://Shop.Example/${n}/Case?A=b">case</a>
<a href="${SHOP}:8443/${n}/port">port</a> <a href="https://user@shop.example/${n}/user">user</a> <a href="${SHOP}/${n}/a%20b/%E2%82%AC?x=%26&y=1&copy=2&lt=3">escapes</a>
<a href="mailto:help@shop.example?subject=${n}">mail</a> <a href="tel:+4930${n}">phone</a> <a href="/${n}/relative">relative</a> <a href="//shop.example/${n}">scheme</a> <a href>empty</a> <a>none</a> <a href="javascript:void(0)">script</a>`,
  excluded: (
    n,
  ) => `<a data-no-track href="${SHOP}/${n}/no-track">Not tracked</a> <a href="https://login.shop.example/once?token=${n}">One-time link</a>
${link(n, 'tracked', 'Tracked')} <details><summary>More</summary>${link(n, 'details', 'Details')}</details>
<form action="${SHOP}/${n}/vote" method="post"><input name=mark value=5><textarea rows=2><a href="${SHOP}/${n}/textarea">x</a></textarea><button>Vote</button></form>`,
  vector: (
    n,
  ) => `<svg width="200" height="40" xmlns:xlink="http://www.w3.org/1999/xlink"><a href="${SHOP}/${n}/svg"><rect width="100" height="40" fill="#2a9d8f"/></a>
<a xlink:href="${SHOP}/${n}/xlink"><circle cx="150" cy="20" r="18"/></a><title><a href="${SHOP}/${n}/title">t</a></title></svg>
<math><mi>x</mi></math>${link(n, 'after-svg', 'After')} <style>a[href]::after { content: ">" }</style><script>document.write('<a href="${SHOP}/${n}/script">')</script>`,
  accents: (
    n,
  ) => `<h2>Größe, café, naïve · für ${n} ¥</h2><a href="${SHOP}/${n}/Größe?ä=ö" title="é">Grüße</a> ${link(n, 'ascii', 'für alle')}
<p style="font-variant:small-caps">¡Hola!</p><blockquote type=cite>${link(n, 'quote', '«Zitat»')}</blockquote><hr noshade>`,
};

const FORMS = ['alone', 'alternative', 'amp', 'related'] as const;
const ENCODINGS = ['8bit', 'quoted-printable', 'base64'] as const;

export const NEWSLETTERS: readonly Newsletter[] = Object.entries(FRAMES).flatMap(([frame, framed], row) =>
  Object.entries(CONTENTS)
    .map(([name, content], column) => ({ name, content, column }))
    .filter(({ column }) => (row + column) % 2 === 0)
    .map(({ name, content, column }, index) => {
      const n = row * 10 + column;
      const text = framed(content(n)).replaceAll('\n', '\r\n');
      // Arabic has no place in Latin-1; a dash and a currency sign of the other contents have neither, or have one.
      const isLatin = !/[^\0-\xff]/.test(text) && n % 3 === 0;
      return {
        name: `${frame} ${name}`,
        html: Buffer.from(text, isLatin ? 'latin1' : 'utf8'),
        charset: isLatin ? ('iso-8859-1' as const) : ('utf-8' as const),
        encoding: ENCODINGS[(row + index) % ENCODINGS.length],
        form: FORMS[(row + index) % FORMS.length],
      };
    }),
);
