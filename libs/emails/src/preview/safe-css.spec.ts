import { describe, expect, it } from 'vitest';
import { safeCss } from './safe-css.js';

describe('safeCss', () => {
  it.each([
    'a:hover > b.c#d, [class^=x]::before{color:#fff;margin:0 -1px;width:calc(100% - 2em)!important}',
    '@media only screen and (max-width:600px){.a{display:none}}',
    '@font-face{font-family:x;src:local(Arial)}',
    'p:not(:nth-child(2n+1)){background:linear-gradient(90deg,rgba(0,0,0,.5) 0%,var(--c))}',
    '--x:1px;filter:blur(2px);transform:translateX(3px) rotate(4deg)',
    'mso-line-height-rule:exactly;*zoom:1',
    'é\u{1F600}{color:red}',
  ])('leaves %s', (css) => {
    expect(safeCss(css)).toBe(css);
  });

  it.each([
    ['background:url(https://a.example/x)', "background:url('data:,')"],
    ['background:URL( "https://a.example/x" )', "background:url('data:,' )"],
    ["background:url('//a.example/)')", "background:url('data:,')"],
    ['background:u\\72l(//a.example/x)', "background:url('data:,')"],
    ['background:\\55 \\000052\r\nL(//a.example/x', "background:url('data:,')"],
    ['background:url(/x)', "background:url('data:,')"],
    ['background:url(/*cid:x*/)', "background:url('data:,')"],
    ['background:url(cid:logo@x)', "background:url('cid:logo@x')"],
    ['background:url(data:image/png;base64,AA==)', "background:url('data:image/png;base64,AA==')"],
    ['background:url("data:image/svg+xml,<b a=\'1\'>")', "background:url('data:image/svg+xml,\\3c b a=\\27 1\\27 >')"],
    ['--a:url(//a.example)', "--a:url('data:,')"],
    ['a:image-set("//a.example/x" 1x)', "a:-not-loaded('//a.example/x' 1x)"],
    ['a:src("//a.example/x")', "a:-not-loaded('//a.example/x')"],
    ['a:-webkit-cross-fade(url(x),url(y),1%)', "a:-not-loaded(url('data:,'),url('data:,'),1%)"],
    ['a:expression(alert(1))', 'a:-not-loaded(-not-loaded(1))'],
    ['@import "//a.example/x";b{}', "@-not-loaded '//a.example/x';b{}"],
    ['@\\49MPORT url(//a.example/x);', "@-not-loaded url('data:,');"],
    ['@import/**/"x"', "@-not-loaded/**/'x'"],
    ['u/**/rl(//a.example/x)', 'u/**/-not-loaded(//a.example/x)'],
    ['a:"\\\n//x";b:"\nc:url(//a.example/x)', "a:'//x';b:''\nc:url('data:,')"],
    ['a{content:"</style><img src=x>"}', "a{content:'\\3c /style>\\3c img src=x>'}"],
    ['</style><!--', '< /style>< !--'],
    ['@media (width<9px) and (width<=9px){}', '@media (width< 9px) and (width<=9px){}'],
    ['/* unclosed url(//a.example/x)', '/**/'],
    ['a\\3c /b{}', 'a\\3c /b{}'],
    ['a:\\', 'a:\\'],
  ])('writes %s as %s', (css, expected) => {
    expect(safeCss(css)).toBe(expected);
  });

  it('is its own result', () => {
    for (const css of ['a:url(x)', '@import "x";', 'a:u\\72l("\\"x")', 'a:"\\', '\\', '@', '@\\', 'url(', 'a:url("'])
      expect(safeCss(safeCss(css))).toBe(safeCss(css));
  });
});
