import { describe, expect, it } from 'vitest';
import { decodeReportedAddress, firstAddress } from './find-address.js';

describe('decodeReportedAddress', () => {
  it.each([
    ['rfc822; ada@b.example', 'ada@b.example'],
    ['rfc822;<ada@b.example>', 'ada@b.example'],
    ['RFC822; "Ada L." <ada@b.example> (closed)', 'ada@b.example'],
    ['ada@b.example', 'ada@b.example'],
    ['rfc822;ada+2Bshop@b.example', 'ada+shop@b.example'],
    ['rfc822; ada+2b@b.example', 'ada+2b@b.example'],
    ['utf-8; ad\\x{E4}@r\\x{F6}mer.example', 'adä@römer.example'],
    ['utf-8; a\\x{D800}\\x{110000}@b.example', null],
    ["rfc822; o'brien@b.example", "o'brien@b.example"],
    ["rfc822; 'ada@b.example'", 'ada@b.example'],
    ['rfc822;srs0=ab=c=ada@b.example (closed)', 'srs0=ab=c=ada@b.example'],
    ['rfc822; a*{b}|`c@b.example', 'a*{b}|`c@b.example'],
    ['rfc822; <ada=x@b.example>', 'ada=x@b.example'],
    ['rfc822; "ada l"@b.example', '"ada l"@b.example'],
    ['rfc822; <"ada l"@b.example> (closed)', '"ada l"@b.example'],
    ['rfc822; "ada"@b.example', 'ada@b.example'],
    ['unknown; nobody', null],
    ['', null],
  ])('of %j', (value, wanted) => {
    expect(decodeReportedAddress(value)).toBe(wanted);
  });
});

describe('firstAddress', () => {
  it.each([
    ["<o'brien@b.example>: no such user", "o'brien@b.example"],
    ["the mail to o'brien@b.example.", "o'brien@b.example"],
    ["Failed to deliver to 'ada@b.example'", 'ada@b.example'],
    ["to 'o'brien@b.example'", "o'brien@b.example"],
    ['<srs0=ab=c=ada@b.example>:', 'srs0=ab=c=ada@b.example'],
    ['rcpt=ada@b.example, status=bounced', 'ada@b.example'],
    ['dda:SMTP=ada@b.example;', 'ada@b.example'],
    ['<mailto:ada@b.example>', 'ada@b.example'],
    ['**ada@b.example**', 'ada@b.example'],
    ['收件人：ada@b.example', 'ada@b.example'],
    ['【ada@b.example】', 'ada@b.example'],
    ['「ada@b.example」、', 'ada@b.example'],
    ['nobody at all', null],
  ])('of %j', (text, wanted) => {
    expect(firstAddress(text)).toBe(wanted);
  });
});
