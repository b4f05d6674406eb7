import { describe, expect, it } from 'vitest';
import { HOSTILE_REPLIES } from '../../../../test/support/samples/hostile-mail.js';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import type { BounceClass } from '../delivery-outcome.js';
import { classifyReply } from './reply-classifier.js';

/** Our own wording in the style of large receivers. */
const LABELLED: [string, BounceClass][] = [
  ['550 5.1.1 The email account that you tried to reach does not exist', 'invalid_recipient'],
  ['550 5.1.1 <a@b.test>: Recipient address rejected: User unknown in local recipient table', 'invalid_recipient'],
  ['550 5.1.3 bad destination mailbox address syntax', 'content'],
  ['550 5.1.6 recipient no longer on server', 'invalid_recipient'],
  ['551 5.1.6 mailbox has moved', 'invalid_recipient'],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found', 'invalid_recipient'],
  ['556 5.1.10 null MX', 'bad_domain'],
  ['556 domain takes no mail', 'bad_domain'],
  ['550 5.1.2 bad destination system address', 'bad_domain'],
  ['550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'invalid_recipient'],
  ["554 delivery error: dd This user doesn't have a example.test account (x@example.test)", 'invalid_recipient'],
  ['550 No such user here', 'invalid_recipient'],
  ['550 unknown user', 'invalid_recipient'],
  ['550 Requested action not taken: mailbox unavailable, no such mailbox', 'invalid_recipient'],
  ['550 mailbox not found', 'invalid_recipient'],
  ['554 5.7.1 user unknown', 'invalid_recipient'],
  ['550 5.1.1 blocked because of spam content', 'policy'],
  ['550 5.1.1 sender has poor reputation', 'policy'],
  ['550 5.2.1 The email account that you tried to reach is disabled', 'inactive_mailbox'],
  ['550 5.2.1 inactive', 'inactive_mailbox'],
  ['525 5.7.13 user account disabled', 'inactive_mailbox'],
  ['554 mailbox is disabled', 'inactive_mailbox'],
  ['552 5.2.2 The email account that you tried to reach is over quota', 'quota'],
  ['452 4.2.2 mailbox full', 'quota'],
  ['422 user is over quota', 'quota'],
  ['552 mailbox full', 'quota'],
  ['554 mailbox is full', 'quota'],
  ['552 requested mail action aborted', 'quota'],
  ['552 5.3.4 message size exceeds fixed limit', 'too_large'],
  ['552 5.2.3 your message is too large', 'too_large'],
  ['552 message size exceeds maximum permitted', 'too_large'],
  ['554 message too big for system', 'too_large'],
  ['550 5.7.26 This mail is unauthenticated', 'authentication'],
  ['550 5.7.25 no PTR record for the sending address', 'policy'],
  ['550 5.7.515 Access denied, sending domain does not meet the required level', 'authentication'],
  ['421 4.7.26 this mail is unauthenticated, rate limited', 'authentication'],
  ['550 5.7.1 rejected by the DMARC policy of from.test', 'authentication'],
  ['550 5.7.1 SPF check failed', 'authentication'],
  ['550 rejected: SPF fail - not authorized', 'authentication'],
  ['554 5.7.9 message not accepted for policy reasons', 'authentication'],
  ['550 5.7.1 Our system has detected that this message is likely unsolicited mail', 'policy'],
  ['550 5.7.1 access denied', 'policy'],
  ['550 5.7.0 local policy violation', 'policy'],
  ['550 5.7.28 unusual rate of unsolicited mail', 'policy'],
  ['554 Service unavailable; Client host [1.2.3.4] blocked using zen.spamhaus.test', 'policy'],
  ['550 your address is listed at a DNSBL', 'policy'],
  ['421 4.7.0 [TSS04] Messages from 1.2.3.4 temporarily deferred due to user complaints', 'policy'],
  ['421 4.7.28 unusual rate of unsolicited mail', 'policy'],
  ['421 mail from 1.2.3.4 blocked', 'policy'],
  ['451 4.7.1 greylisted, please try again in 5 minutes', 'deferral'],
  ['450 4.2.1 user receives mail too quickly', 'deferral'],
  ['421 4.3.2 service shutting down', 'deferral'],
  ['421 try later', 'deferral'],
  ['451 temporary failure', 'deferral'],
  ['452 4.3.1 insufficient system resources', 'deferral'],
  ['451 4.4.3 temporary lookup failure', 'deferral'],
  ['450 4.1.1 user unknown for now', 'deferral'],
  ['550 5.6.0 lone CR in the message', 'content'],
  ['554 5.6.7 address needs SMTPUTF8', 'content'],
  ['503 5.5.1 bad sequence', 'content'],
  ['503 send HELO first', 'content'],
  ['550 5.4.4 unable to route', 'routing'],
  ['554 5.4.6 routing loop', 'routing'],
  ['554 5.4.14 hop count exceeded', 'routing'],
  ['550 5.4.7 delivery time expired', 'expired'],
  ['550 5.7.10 encryption needed', 'transport_policy'],
  ['550 no', 'undetermined'],
  ['554 5.0.0 rejected', 'undetermined'],
  ['550 5.2.0 something', 'undetermined'],
  ['571 whatever', 'undetermined'],
];

const HARD = new Set<BounceClass>(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

function parse(line: string) {
  const [, code, enhanced, text] = /^(\d{3}) (?:([245]\.\d+\.\d+) ?)?(.*)$/.exec(line) ?? [];
  return { code: Number(code), enhanced: enhanced ?? null, text };
}

describe('a reply', () => {
  it.each(LABELLED)('%s → %s', (line, expected) => {
    const verdict = classifyReply(parse(line));
    expect(verdict.class).toBe(expected);
    expect(verdict.permanent).toBe(line.startsWith('5'));
    const soft = expected === 'undetermined' ? 'undetermined' : 'soft';
    expect(verdict.bounceType).toBe(HARD.has(expected) ? 'hard' : soft);
  });

  it('is permanent by its code, whatever the enhanced code', () => {
    expect(classifyReply({ code: 450, enhanced: '5.1.1', text: 'user unknown' })).toMatchObject({
      permanent: false,
      class: 'deferral',
    });
    expect(classifyReply({ code: 550, enhanced: '4.2.1', text: 'x' }).permanent).toBe(true);
  });

  it('without a code, or with an unexpected one, is temporary', () => {
    expect(classifyReply({ code: null, enhanced: null, text: 'garbage' })).toMatchObject({
      permanent: false,
      class: 'deferral',
    });
    expect(classifyReply({ code: 354, enhanced: null, text: 'go' })).toMatchObject({
      permanent: false,
      class: 'deferral',
    });
  });

  it('about the sender, or about several recipients at once, never gives a hard bounce', () => {
    const reply = { code: 550, enhanced: '5.1.1', text: 'user unknown' };
    expect(classifyReply(reply)).toMatchObject({ class: 'invalid_recipient', bounceType: 'hard' });
    expect(classifyReply(reply, 'sender')).toEqual({ class: 'authentication', bounceType: 'soft', permanent: true });
    expect(classifyReply(reply, 'several')).toMatchObject({ class: 'undetermined', bounceType: 'undetermined' });
    expect(classifyReply({ code: 552, enhanced: '5.2.2', text: 'full' }, 'several').class).toBe('quota');
  });

  it.each([
    ['550 User unknown', 'invalid_recipient'],
    ['550 5.1.1 rejected', 'invalid_recipient'],
    ['550 account closed', 'inactive_mailbox'],
    ['550 Host unknown', 'bad_domain'],
  ])('%s is proof after RCPT, a hint after DATA, and about the sender after MAIL', (line, found) => {
    expect(classifyReply(parse(line), 'recipient')).toMatchObject({ class: found, bounceType: 'hard' });
    expect(classifyReply(parse(line), 'content')).toMatchObject({ class: found, bounceType: 'undetermined' });
    expect(classifyReply(parse(line), 'sender').bounceType).toBe('soft');
  });

  it.each([
    ['550 account has been suspended', 'inactive_mailbox'],
    ['550 5.2.1 this mailbox is locked', 'inactive_mailbox'],
    ['550 Invalid address', 'invalid_recipient'],
    ['550 5.1.0 Address rejected', 'invalid_recipient'],
  ])('%s is a hint: it leaves open whether the mailbox is gone', (line, found) => {
    expect(classifyReply(parse(line))).toMatchObject({ class: found, bounceType: 'undetermined' });
  });

  it.each(['550 5.1.1 User unknown', '550 5.2.1 The mailbox is disabled', '550 5.1.2 no such domain'])(
    '%s is proof after DATA too, because code and words agree',
    (line) => {
      expect(classifyReply(parse(line), 'content').bounceType).toBe('hard');
    },
  );

  it('reads no reason in a quoted local part', () => {
    expect(classifyReply(parse('550 <"spam user unknown"@rcpt.test>: no')).class).toBe('undetermined');
    expect(classifyReply(parse('550 <"spam or blocked"@rcpt.test>: user unknown')).class).toBe('invalid_recipient');
  });

  it.each([
    '550 5.7.1 Your account has been suspended',
    '550 5.1.1 sender address rejected: user unknown',
    '550 5.1.1 <news@sender.test>: sender does not exist',
    '550 5.1.0 sender rejected, user unknown',
    '535 5.7.8 user unknown',
    '535 invalid user',
    '550 5.2.1 your mailbox is disabled, you may not send',
    '550 5.1.2 relaying denied',
    '554 5.7.1 recipient address rejected: access denied',
    '550 5.1.1 message blocked, poor reputation of 192.0.2.7',
    '550 5.7.13 account disabled',
    '550 no such domain in the sender address: sender domain does not exist',
    '550 mailbox unavailable. Sender address has null MX',
    '550 callback setup failed while verifying <news@from.test>. Response: 550 5.1.1 no such user',
    '550 unable to verify sender: no such user',
    "550 5.1.2 sender's domain could not be resolved",
    '550 5.1.1 unknown user in the From: header',
    "550 le domaine expéditeur n'existe pas",
    '550 absenderadresse ist unbekannt',
    '550 发信人邮箱不存在',
    '550 送信元アドレスが存在しません',
    '550 votre compte est suspendu',
    '550 5.2.1 Ihr Konto gesperrt',
    '550 su cuenta está suspendida',
    '550 ваш аккаунт заблокирован',
    '550 您的账号已被冻结',
    '550 您的企业邮箱已停用',
    '550 hosting account suspended',
    '550 5.2.1 outgoing mail disabled for this account',
    '550 5.1.2 EHLO domain does not exist',
    '550 5.1.1 the group may not exist, or you may not have permission to post messages',
    '550 5.1.1 SPF fail',
    '550 5.2.1 only accepting mail from specific addresses',
    '550 5.1.1 access denied',
    '550 5.1.1 see https://www.spamhaus.test/query',
    `550 5.1.1 ${'This notice says nothing. '.repeat(30)} Your mail was blocked as spam.`,
    `550 5.1.1 ${'This notice says nothing. '.repeat(300)} Your mail was blocked as spam.`,
  ])('%s is not about the recipient', (line) => {
    expect(classifyReply(parse(line)).bounceType).not.toBe('hard');
  });

  it.each([
    '550 5.1.1 return to sender: user unknown',
    '550 5.1.1 no such user, the sender should remove this address',
    '550 user unknown, please notify the sender',
    '550 5.1.1 <junko.tanaka@b.test>: recipient address rejected: user unknown in virtual mailbox table',
    '550 5.1.1 <spam@b.test>: user unknown',
    '550 <dmarc@b.test>: user unknown',
    '550 <sender@b.test>: user unknown',
    '550 5.1.1 <a@outstanding.test>... user unknown',
    '550 5.1.1 mx.antispam.test: no such user, see https://spamstop.test/help',
    '550 5.1.1 advertising@tenant-5.test is unknown here',
    '550 5.1.1 Callout verification failed: 550 5.1.1 <a@b.test>: Recipient address rejected: User unknown',
    '550 5.1.0 user unknown, message rejected',
    '550 5.2.1 mailbox does not exist. Message rejected',
    '550 5.1.1 user unknown, please update your address book',
    '550 5.1.1 unknown user. Please check your recipient address',
    '550 5.1.1 bad destination mailbox address. The sender may have a typo',
    '550 5.1.1 mail from 192.0.2.4 to <a@b.test> refused, user unknown',
    '550 5.1.1 el usuario no existe o su cuenta esta desactivada',
  ])('%s is about the recipient, whatever else it mentions', (line) => {
    expect(classifyReply(parse(line)).class).toBe('invalid_recipient');
  });

  it.each([
    '550 5.1.1 account inactive - message refused',
    '550 5.2.0 mailbox disabled, message rejected',
    "550 5.2.1 l'utente non esiste piu o il suo account è disattivato",
  ])('%s means that the mailbox is no longer used', (line) => {
    expect(classifyReply(parse(line)).bounceType).toBe('hard');
  });

  // A hundred replies, so that quadratic time would exceed the time limit.
  it.each([...HOSTILE_REPLIES, `user ${'x'.repeat(2_995)}`])('of 60 kB of %j is classified in linear time', (piece) => {
    const text = piece.repeat(60_000 / piece.length);
    const hundred = () => Array.from({ length: 100 }, () => classifyReply({ code: 550, enhanced: null, text }));
    expect(mustReturn(hundred)).toHaveLength(100);
  });

  it('is classified by its beginning and its end only', () => {
    const padding = 'was not taken. '.repeat(4_000);
    const classOf = (text: string) => classifyReply({ code: 550, enhanced: null, text }).class;
    expect(classOf(`user unknown ${padding}${padding}`)).toBe('invalid_recipient');
    expect(classOf(`${padding}${padding}user unknown`)).toBe('invalid_recipient');
    expect(classOf(`${padding}user unknown ${padding}`)).toBe('undetermined');
  });
});
