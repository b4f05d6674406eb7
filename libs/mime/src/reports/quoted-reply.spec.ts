import { describe, expect, it } from 'vitest';
import { moreSpecificStatus, readQuotedReply } from './quoted-reply.js';

describe('readQuotedReply', () => {
  it.each([
    ['550 5.1.1 no such user', 550, '5.1.1', 'no such user'],
    ['550-5.1.1 no 550-5.1.1 such 550 5.1.1 user', 550, '5.1.1', 'no such user'],
    ['host mx.example[192.0.2.1] said: 552 5.2.2 full (in reply to DATA)', 552, '5.2.2', 'full (in reply to DATA)'],
    ['550 5.0.350 Remote server returned an error -> 550 5.1.1 unknown', 550, '5.1.1', 'unknown'],
    ['550 5.7.1 <mx.example #5.7.1 smtp; 550 5.1.1 unknown>', 550, '5.1.1', 'unknown'],
    ['Sorry, no mailbox here by that name. (#5.1.1)', null, '5.1.1', 'Sorry, no mailbox here by that name. (#5.1.1)'],
    ['#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##', 550, '5.1.1', 'RESOLVER.ADR.RecipNotFound; not found'],
    [
      '554 delivery error: dd mailbox is disabled (554.30). - mta4',
      554,
      null,
      'delivery error: dd mailbox is disabled (554.30). - mta4',
    ],
    ['no such user. [SMTP Error Code 550]', 550, null, 'no such user. [SMTP Error Code 550]'],
    [
      'the limit is 500 MB, on port 587, at 192.0.2.5.1',
      null,
      null,
      'the limit is 500 MB, on port 587, at 192.0.2.5.1',
    ],
    ['554 Message refused', 554, null, 'Message refused'],
    ['554 message refused', 554, null, 'message refused'],
    ['550 Messages from 192.0.2.1 are refused', 550, null, 'Messages from 192.0.2.1 are refused'],
    ['host mx.example said: 451 Message deferred, giving up', 451, null, 'Message deferred, giving up'],
    ['no more than 500 messages, 512 kB or 421 bytes', null, null, 'no more than 500 messages, 512 kB or 421 bytes'],
    ['550 4.2.1 contradictory', 550, null, 'contradictory'],
    ['550 5.7.1 refused by the Mail Server 5.1.1', 550, '5.7.1', 'refused by the Mail Server 5.1.1'],
    ['from the mail server, version 5.1.1', null, null, 'from the mail server, version 5.1.1'],
    ['', null, null, ''],
  ])('%j', (words, smtpCode, status, text) => {
    expect(readQuotedReply(words)).toEqual({ smtpCode, status, text });
  });
});

describe('moreSpecificStatus', () => {
  it.each([
    ['5.0.0', '5.1.1', '5.1.1'],
    ['5.1.1', '5.7.1', '5.1.1'],
    ['5.2.1', '5.1.1', '5.1.1'],
    ['5.7.1', null, '5.7.1'],
    [null, '5.7.1', '5.7.1'],
    ['5.0.0', '5.7.1', '5.7.1'],
    [null, null, null],
  ])('of the field %j and the text %j', (field, words, wanted) => {
    expect(moreSpecificStatus(field, words)).toBe(wanted);
  });
});
