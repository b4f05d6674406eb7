import { EVENT_TYPES } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { webhookEventsRule, webhookUrlRule } from './field-rules.js';

const codes = (url: unknown, allowPrivate = false) =>
  webhookUrlRule(url, { allowPrivate }).map((problem) => problem.code);

describe('webhookUrlRule', () => {
  it.each([
    'https://example.com/hook',
    'https://example.com:8443/?a=b',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://bücher.example/x',
  ])('takes %s', (url) => expect(codes(url)).toEqual([]));

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://①②⑦.⓪.⓪.①/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://172.16.5.4/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[2001:db8::1]/',
    'https://[fc00::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[4000::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://nas.home.arpa/',
    'https://intranet/',
  ])('rejects the private %s, and accepts it if private addresses are allowed', (url) => {
    expect(codes(url)).toEqual(['private_address']);
    expect(codes(url, true)).toEqual([]);
  });

  it.each([
    ['http://example.com/', 'invalid_scheme'],
    ['ftp://example.com/', 'invalid_scheme'],
    ['javascript:alert(1)', 'invalid_scheme'],
    ['example.com/hook', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https://[fe80::1%25eth0]/', 'invalid_url'],
    ['https://256.1.1.1/', 'invalid_url'],
    ['https://hooks.example\\@evil.example/', 'invalid_url'],
    ['https://exam\nple.com/', 'invalid_url'],
    [' https://example.com/', 'invalid_url'],
    [`https://example.com/${'x'.repeat(2048)}`, 'invalid_url'],
    ['https://user@example.com/', 'credentials_not_allowed'],
    ['https://:secret@example.com/', 'credentials_not_allowed'],
    ['https://example.com/#part', 'fragment_not_allowed'],
    ['https://example.com:22/', 'port_not_allowed'],
    ['https://example.com:25/', 'port_not_allowed'],
    ['https://example.com:5432/', 'port_not_allowed'],
    ['https://example.com:6379/', 'port_not_allowed'],
    ['https://example.com:0/', 'port_not_allowed'],
    [undefined, 'invalid_type'],
    [['https://example.com'], 'invalid_type'],
  ])('refuses %s as %s', (url, code) => expect(codes(url)).toEqual([code]));

  it('rejects credentials, fragments and denied ports also if private addresses are allowed', () => {
    expect(codes('http://a:b@127.0.0.1:6379/#x', true)).toEqual([
      'credentials_not_allowed',
      'fragment_not_allowed',
      'port_not_allowed',
    ]);
  });
});

describe('webhookEventsRule', () => {
  it('accepts every event type, and *', () => {
    expect(webhookEventsRule([...EVENT_TYPES])).toEqual([]);
    expect(webhookEventsRule(['*'])).toEqual([]);
  });

  it.each([
    [[], [['', 'too_few']]],
    ['email.sent', [['', 'invalid_type']]],
    [undefined, [['', 'invalid_type']]],
    [['*', 'email.sent'], [['', 'not_alone']]],
    [
      ['email.sent', 'email.exploded', 7, null],
      [
        ['[1]', 'unknown_event'],
        ['[2]', 'unknown_event'],
        ['[3]', 'unknown_event'],
      ],
    ],
    [Array.from({ length: 1000 }, () => 'email.sent'), [['', 'too_many']]],
  ])('refuses %j', (events, expected) => {
    expect(webhookEventsRule(events).map(({ path, code }) => [path, code])).toEqual(expected);
  });
});
