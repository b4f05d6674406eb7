import { describe, expect, it } from 'vitest';
import { partLines } from './part-text.js';

const lines = (type: string, body: string, charset = 'utf-8') =>
  partLines({ type, parameters: new Map([['charset', charset]]), fields: [], body: Buffer.from(body, 'latin1') });

describe('partLines', () => {
  it('reads any line ends and any charset', () => {
    expect(lines('text/plain', 'a\r\nb\nc\r\r\nd')).toEqual(['a', 'b', 'c', 'd']);
    expect(lines('text/plain', 'Empf\xe4nger')).toEqual(['Empfänger']);
    expect(lines('text/plain', '\xf0\xc9\xd3\xd8\xcd\xcf', 'koi8-r')).toEqual(['Письмо']);
    expect(lines('text/plain', '\x1b$BAw?.\x1b(B', 'iso-2022-jp')).toEqual(['送信']);
    expect(lines('text/plain', 'x', 'no-such')).toEqual(['x']);
  });

  it('returns the visible text of HTML', () => {
    const html =
      '<html><HEAD><title>no</TITLE></head><STYLE>p { color: red }</style><p>To&nbsp;&lt;ada@b.example&gt;<br>is' +
      '\n full &#8211; &#x2013; &unknown;</p><script>hidden()';
    expect(lines('text/html', html)).toEqual(['', 'To <ada@b.example>', 'is full – – &unknown;', '']);
    expect(lines('text/html', 'a < b')).toEqual(['a < b']);
  });
});
