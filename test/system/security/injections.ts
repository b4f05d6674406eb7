/** What attackers put behind a harmless value to make a second header, recipient or body of it (promises S-25). */
const BREAKS = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\n\r',
    '\r\r\n',
    '\r\n\r\n',
    '\n\n',
    '\r\n ',
    '\r\n\t',
    '\n ',
    '\0',
    '\0\r\n',
    '\v',
    '\f',
    '\x1b',
  ],
  ...['\x1c', '\x1d', '\x1e', '\x7f', '\b', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066', '\u009f'],
];
const ADDED = ['Bcc: evil@attacker.test', 'X-Injected: 1'];

/** Text that is harmless as long as nobody decodes it once too often. */
const DISGUISED = [
  ...[
    '%0d%0aBcc: evil@attacker.test',
    '%0D%0AX-Injected: 1',
    '%E5%98%8A%E5%98%8DX-Injected: 1',
    '\u560a\u560dX-Injected: 1',
  ],
  ...[
    '=?utf-8?q?=0d=0aBcc:_evil=40attacker.test?=',
    '=?utf-8?b?DQpYLUluamVjdGVkOiAx?=',
    '=?us-ascii?q?=0aX-Injected:_1?=',
  ],
  ...[
    '\\r\\nX-Injected: 1',
    '\\nX-Injected: 1',
    '&#13;&#10;X-Injected: 1',
    '\\u000d\\u000aX-Injected: 1',
    '${X-Injected}',
  ],
  ...['\u200b\u200bX-Injected: 1', '\ufeffX-Injected: 1', '" X-Injected: 1', '; X-Injected: 1', ', evil@attacker.test'],
  ...[
    '<evil@attacker.test>',
    '> evil@attacker.test',
    '(X-Injected: 1)',
    ': X-Injected: 1',
    '=20=0D=0A',
    '{"prepared":true}',
  ],
];

/** In place of a string: what a composer of mail may take for an order. */
export const OBJECTS: unknown[] = [
  { prepared: true, value: 'a\r\nX-Injected: 1' },
  { path: '/etc/passwd' },
  { href: 'http://127.0.0.1/' },
  { raw: 'X-Injected: 1\r\n\r\nbody' },
  ['a', 'X-Injected: 1'],
  { toString: 'X-Injected: 1' },
];

export const INJECTIONS: string[] = [...BREAKS.flatMap((line) => ADDED.map((added) => line + added)), ...DISGUISED];
