import { describe, expect, it } from 'vitest';
import type { InboundReport } from './inbound-report.js';
import { readReport } from './read-report.js';

const read = (lines: readonly string[]): InboundReport => readReport(Buffer.from(lines.join('\r\n'), 'latin1'));

const DAEMON = ['From: MAILER-DAEMON@mx.rcpt.example', 'To: <b+token@bounces.sender.example>'];

/** Address, code, status and text of each failed recipient. */
function failures(report: InboundReport) {
  if (report.kind !== 'delivery') return report.kind;
  return report.recipients.map(({ finalRecipient, smtpCode, status, text }) => [
    finalRecipient,
    smtpCode,
    status,
    text,
  ]);
}

describe('a transcript about several recipients', () => {
  const head = [
    ...DAEMON,
    'Subject: Returned mail: see transcript for details',
    '',
    '   ----- The following addresses had permanent fatal errors -----',
    '<ada@rcpt.example>',
    '<bob@rcpt.example>',
    '<eve@rcpt.example>',
    '',
    '   ----- Transcript of session follows -----',
    '... while talking to in.rcpt.example.:',
  ];

  it('gives each the reply to its own command', () => {
    const report = read([
      ...head,
      '>>> RCPT To:<ada@rcpt.example>',
      '<<< 550 5.1.1 No such user',
      '550 5.1.1 <ada@rcpt.example>... User unknown',
      '>>> RCPT To:<bob@rcpt.example>',
      '<<< 552-5.2.2 The mailbox',
      '<<< 552 5.2.2 is full',
      '>>> RCPT To:<eve@rcpt.example>',
      '<<< 550 5.7.1 Blocked',
    ]);
    expect(failures(report)).toEqual([
      ['ada@rcpt.example', 550, '5.1.1', 'No such user'],
      ['bob@rcpt.example', 552, '5.2.2', 'The mailbox is full'],
      ['eve@rcpt.example', 550, '5.7.1', 'Blocked'],
    ]);
  });

  it('counts the replies where commands were sent together', () => {
    const report = read([
      ...head,
      '>>> MAIL From:<b+token@bounces.sender.example>',
      '>>> RCPT To:<ada@rcpt.example>',
      '>>> RCPT To:<bob@rcpt.example>',
      '>>> RCPT To:<eve@rcpt.example>',
      '>>> DATA',
      '<<< 250 2.1.0 ok',
      '<<< 552 5.2.2 Mailbox full',
      '<<< 550 5.1.1 No such user',
      '<<< 250 2.1.5 ok',
      '<<< 554 5.6.0 Not this content',
    ]);
    expect(failures(report)).toEqual([
      ['ada@rcpt.example', 552, '5.2.2', 'Mailbox full'],
      ['bob@rcpt.example', 550, '5.1.1', 'No such user'],
      ['eve@rcpt.example', 554, '5.6.0', 'Not this content'],
    ]);
  });

  it('gives none the reply to another, if the transcript does not mention it', () => {
    const report = read([...head, '>>> RCPT To:<bob@rcpt.example>', '<<< 550 5.1.1 No such user']);
    expect(failures(report)).toEqual([
      ['ada@rcpt.example', null, null, ''],
      ['bob@rcpt.example', 550, '5.1.1', 'No such user'],
      ['eve@rcpt.example', null, null, ''],
    ]);
  });

  it('reads the arrows of other systems', () => {
    const report = read([
      ...DAEMON,
      'Subject: Permanent delivery failure',
      '',
      'The attached message had PERMANENT fatal delivery errors!',
      '',
      'Failed address: ada@rcpt.example',
      'Failed address: bob@rcpt.example',
      '',
      '--- Session Transcript ---',
      ' Tue 2026-11-10 09:15:02: --> RCPT To:<ada@rcpt.example>',
      ' Tue 2026-11-10 09:15:02: <-- 552 5.2.2 Mailbox full',
      ' Tue 2026-11-10 09:15:02: --> RCPT To:<bob@rcpt.example>',
      ' Tue 2026-11-10 09:15:03: <-- 550 5.1.1 No such user',
      '--- End Transcript ---',
    ]);
    expect(failures(report)).toEqual([
      ['ada@rcpt.example', 552, '5.2.2', 'Mailbox full'],
      ['bob@rcpt.example', 550, '5.1.1', 'No such user'],
    ]);
  });

  it('is the source of the reasons that the fields of a report lack, for each its own', () => {
    const report = read([
      ...DAEMON,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      '',
      ...head.slice(4),
      '>>> RCPT To:<ada@rcpt.example>',
      '<<< 550 5.1.1 No such user',
      '>>> RCPT To:<bob@rcpt.example>',
      '<<< 552 5.2.2 Mailbox full',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.rcpt.example',
      '',
      ...['ada', 'bob', 'eve'].flatMap((name) => [
        `Final-Recipient: rfc822; ${name}@rcpt.example`,
        'Action: failed',
        'Status: 5.0.0',
        '',
      ]),
      '--b--',
    ]);
    expect(failures(report)).toEqual([
      ['ada@rcpt.example', 550, '5.1.1', 'No such user'],
      ['bob@rcpt.example', 552, '5.2.2', 'Mailbox full'],
      ['eve@rcpt.example', null, '5.0.0', ''],
    ]);
  });
});

describe('a part that is no text', () => {
  const NOISE = Buffer.from(Array.from({ length: 600 }, (_, i) => (i * 7919) % 256)).toString('latin1');
  const ZIP = 'PK\x03\x04\x14\x00\x08\x00Invoice\x01\x02\x7f\x00\x00';
  const before = [...DAEMON, 'Subject: Undelivered mail'];
  const textOf = (report: InboundReport) => (report.kind === 'delivery' ? report.recipients[0].text : report.kind);

  it.each([
    ['octets without a type', ['--b', 'Content-Type: oddity', '', ZIP, '--b--']],
    ['a file that is declared as text', ['--b', 'Content-Disposition: attachment; filename=a.zip', '', ZIP, '--b--']],
    ['noise', ['--b', '', NOISE.replaceAll('\n', ' '), '--b--']],
    ['an encoded file', ['--b', 'Content-Transfer-Encoding: base64', '', btoa(ZIP.repeat(9)), '--b--']],
    ['a file in a text', ['', 'begin 644 a.zip', 'M4$L#!!0````(`"%', 'end']],
    ['undecoded Base64', ['', 'UEsDBBQAAAAIAAAAIQBFhGYcKQAAACkAAAAKAAAAUEsDBBQAAAAIAAAAIQBFhGYcKQAAACk=']],
  ])('does not become the reason of a bounce: %s', (_what, noise) => {
    const report = read([
      ...before,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      'Your message was not delivered to:',
      '<ada@rcpt.example>',
      ...noise,
    ]);
    expect(failures(report)).toEqual([
      ['ada@rcpt.example', null, null, expect.stringMatching(/^(?:Your message .*)?$/)],
    ]);
  });

  it('has no reason to give as the whole body, nor in the fields of a report', () => {
    expect(textOf(read([...before, '', ZIP + NOISE]))).toBe('unknown');
    const report = read([
      ...before,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Final-Recipient: rfc822; ada@rcpt.example',
      'Action: failed',
      'Status: 5.1.1',
      `Diagnostic-Code: smtp; 550 5.1.1 ${ZIP}${ZIP}`,
      '--b--',
    ]);
    expect(failures(report)).toEqual([['ada@rcpt.example', null, '5.1.1', '']]);
  });
});

describe('an automatic reply that reports a failure', () => {
  const automatic = (subject: string, text: readonly string[], from = 'gateway@rcpt.example') =>
    read([`From: ${from}`, `Subject: ${subject}`, 'Auto-Submitted: auto-replied', '', ...text]);

  it.each([
    ['in its subject', automatic('Undeliverable: ada@rcpt.example', ['We are sorry.'])],
    ['in its text', automatic('Your message', ['Delivery has failed for this address:', '', 'ada@rcpt.example'])],
    ['as a mail server', automatic('Notice', ['ada@rcpt.example: it was not delivered'], 'postmaster@rcpt.example')],
  ])('names the failed recipient %s', (_where, report) => {
    expect(report).toEqual({ kind: 'automatic', failed: ['ada@rcpt.example'] });
  });

  it.each([
    ['its own sender', automatic('Undeliverable: ada@rcpt.example', ['I left.'], 'ada@rcpt.example')],
    ['nobody', automatic('Undeliverable', ['It was not delivered.'])],
    ['no failure', automatic('Away', ['Please write to bob@rcpt.example'])],
    [
      'a failure elsewhere',
      automatic('Away', ['The parcel was not delivered.', ...Array(9).fill('.'), 'bob@rcpt.example']),
    ],
    ['a subject that it repeats', automatic('Re: Undeliverable: bob@rcpt.example', ['I am away.'])],
  ])('is no report where it names %s', (_what, report) => {
    expect(report).toEqual({ kind: 'automatic', failed: [] });
  });
});
