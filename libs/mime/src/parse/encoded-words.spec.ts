import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { decodeEncodedWords } from './encoded-words.js';
import { textField } from '../compose/encode-header.js';

describe('decodeEncodedWords', () => {
  it.each([
    ['plain text', 'plain text'],
    ['=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
    ['=?UTF-8?q?a_b?= c', 'a b c'],
    ['=?utf-8?B?R3LDvMOfZQ==?=', 'Grüße'],
    ['=?iso-8859-1?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?windows-1252?Q?=80?=', '€'],
    ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['=?utf-8*de?Q?Gr=C3=BC?=', 'Grü'],
    ['=?utf-8?Q?a?= =?utf-8?Q?b?=', 'ab'],
    ['=?utf-8?Q?a?=  \t =?utf-8?Q?b?=', 'ab'],
    ['=?utf-8?Q?a?= x =?utf-8?Q?b?=', 'a x b'],
    ['=?utf-8?Q?a?= x', 'a x'],
    ['=?utf-8?B?4oI=?= =?utf-8?B?rA==?=', '€'],
    ['=?utf-8?Q?=E2=82?= =?utf-8?Q?=AC?=', '€'],
    ['=?iso-8859-1?Q?=FC?= =?utf-8?Q?=C3=BC?=', 'üü'],
    ['x =?utf-8?Q?open', 'x =?utf-8?Q?open'],
    ['=?utf-8?X?no?=', '=?utf-8?X?no?='],
    ['=??Q?no?=', '=??Q?no?='],
    ['=?=?utf-8?Q?in?=', '=?in'],
    ['=?no-such-charset?Q?=FC?=', 'ü'],
    ['=?utf-8?Q?=0D=0ABcc:_e@v?=', '  Bcc: e@v'],
    ['=?utf-8?B?AAE=?=', '  '],
    ['a\tb', 'a b'],
    ['=?utf-8?Q?=ZZ=4?=', '=ZZ=4'],
    ['=?utf-8?q?=c3=bc=5F=_1=?=', 'ü_= 1='],
    // RFC 2047 section 5: each word of a charset with shift states begins and ends in ASCII.
    ['=?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=', '日本日本'],
    [
      '=?iso-2022-jp?B?GyRCRnwbKEI=?= =?iso-2022-jp?B?GyRCS1wbKEI=?= =?iso-2022-jp?B?GyRCOGwbKEI=?= Co. Ltd.',
      '日本語 Co. Ltd.',
    ],
    ['=?ISO-2022-JP?Q?=1B$BF|=1B(B?= =?ISO-2022-JP?Q?=1B$BK\\=1B(B?=', '日本'],
    // Without the return to ASCII at the end of a word.
    ['=?iso-2022-jp?B?GyRCRnw=?= =?iso-2022-jp?B?QUI=?=', '日AB'],
    ['=?iso-2022-jp?B?GyRCRnwbKEI=?= =?utf-8?Q?=E6=9C=AC?=', '日本'],
    ['=?cp932?B?k/o=?= =?Shift_JIS?B?lns=?=', '日本'],
    ['=?cp932?B?kw==?= =?x-sjis?B?+g==?=', '日'],
    ['=?CP949?B?x9Gx2w==?=', '한글'],
    ['=?utf-8?B?4oI=?= =?UTF8?B?rA==?=', '€'],
    ['=?hz-gb-2312?Q?~{VP~}?= =?hz-gb-2312?Q?~{ND~}?=', '中文'],
    ['=?utf-7?Q?+AOk-?= =?utf-7?Q?+AOk-?=', 'éé'],
    ['', ''],
  ])('reads %j as %j', (given, wanted) => {
    expect(decodeEncodedWords(given)).toBe(wanted);
  });

  it('decodes the words of the composer', () => {
    for (const text of ['Grüße aus Köln', '長い件名'.repeat(60), '=?utf-8?q?x?=', 'a'.repeat(950)]) {
      const field = textField('Subject', text);
      expect(decodeEncodedWords(field.slice('Subject: '.length).replaceAll('\r\n', ''))).toBe(text);
    }
  });

  it.each(['=?', '=?a?q?', '=?utf-8?q?a?= ', '=?utf-8?q?=41', '?=', '=?a?q?x', ' ', '=?a'])(
    'reads a megabyte of %j in linear time',
    (piece) => {
      const hostile = piece.repeat(1_000_000 / piece.length);
      expect(mustReturn(() => decodeEncodedWords(hostile))).toBeTypeOf('string');
    },
  );
});
