import { relaxedField, relaxedHead } from '../../../libs/mime/src/dkim/relaxed-head.js';
import { headerProblem } from '../../../libs/mime/src/compose/compose-message.js';
import { cannotFold, foldedField, structuredField } from '../../../libs/mime/src/compose/encode-header.js';
import { encodeParameters } from '../../../libs/mime/src/compose/encode-parameters.js';
import { encodePhrases, LITERAL_TEXT } from '../../../libs/mime/src/compose/encode-phrases.js';
import { encodeText, quotedPrintable } from '../../../libs/mime/src/compose/encode-text.js';
import { prepareRelayed } from '../../../libs/mime/src/compose/prepare-relayed.js';
import { readControlFields } from '../../../libs/mime/src/compose/relay-control-fields.js';
import { toSevenBit } from '../../../libs/mime/src/compose/to-seven-bit.js';
import { readAddressEntry, splitAddressList } from '../../../libs/mime/src/parse/address-list.js';
import { decodeBytes, decodeText } from '../../../libs/mime/src/parse/charsets.js';
import { blankControls, decodeEncodedWords } from '../../../libs/mime/src/parse/encoded-words.js';
import { findFiles } from '../../../libs/mime/src/parse/find-files.js';
import { authservIdOf } from '../../../libs/mime/src/parse/authserv-id.js';
import { decodeKorean } from '../../../libs/mime/src/parse/korean.js';
import { normaliseLineEnds } from '../../../libs/mime/src/parse/line-ends.js';
import { domainOf, normaliseAddress, parseMailbox, parseRecipient } from '../../../libs/mime/src/parse/mailbox.js';
import { splitComments } from '../../../libs/mime/src/parse/mailbox-comments.js';
import { headerValue, readMessageHead } from '../../../libs/mime/src/parse/message-head.js';
import { splitMultipart } from '../../../libs/mime/src/parse/multipart.js';
import { readPartHead } from '../../../libs/mime/src/parse/part-head.js';
import { readParts } from '../../../libs/mime/src/parse/read-parts.js';
import {
  parameterName,
  parameterReadings,
  readStructuredValue,
  splitOutsideQuotes,
} from '../../../libs/mime/src/parse/structured-value.js';
import { decodeQuotedPrintable, decodeTransferEncoding } from '../../../libs/mime/src/parse/transfer-encoding.js';
import { statusFromParts, statusFromTextPart } from '../../../libs/mime/src/reports/delivery-status.js';
import { readFeedbackReport } from '../../../libs/mime/src/reports/feedback-report.js';
import { addressInField, decodeReportedAddress, firstAddress } from '../../../libs/mime/src/reports/find-address.js';
import { readLenientHead } from '../../../libs/mime/src/reports/lenient-head.js';
import { partLines } from '../../../libs/mime/src/reports/part-text.js';
import { foldText } from '../../../libs/mime/src/reports/phrases.js';
import { readQuotedReply } from '../../../libs/mime/src/reports/quoted-reply.js';
import { readReport, reportSubject } from '../../../libs/mime/src/reports/read-report.js';
import { isRedacted } from '../../../libs/mime/src/reports/redacted-address.js';
import { atOnce, readReportParts, type ReportMessage } from '../../../libs/mime/src/reports/report-parts.js';
import { isAutomatic, isFromMailServer, isReplyOrForward } from '../../../libs/mime/src/reports/report-sender.js';
import { findReturnedCopy, quotedFields, readReturnedMail } from '../../../libs/mime/src/reports/returned-mail.js';
import { aliasOriginsIn, recipientsInText } from '../../../libs/mime/src/reports/text-bounce-recipients.js';
import { readReportText, readTextBounce } from '../../../libs/mime/src/reports/text-bounce.js';
import { readTranscript } from '../../../libs/mime/src/reports/transcript.js';
import { latin1, octets, ofHeader, utf8, within, type ParserTable } from './parser-table.js';

const relay = (message: Buffer): unknown =>
  prepareRelayed(message, {
    serviceDomain: 'postloft.test',
    messageId: () => 'id@mail.example',
    date: () => new Date(0),
  });

/** Places in a message that a sender fills. */
const MESSAGES = [
  '§',
  'From: ada@a.example\nSubject: §\n\nbody',
  'From: §\nSubject: s\n\nbody',
  'From: ada@a.example\nTo: §\nCc: §\nReply-To: b@b.example\n\nbody',
  'From: ada@a.example\nMessage-ID: §\nX-Service-Tag-a: §\n\nbody',
  'From: ada@a.example\nContent-Type: §\n\nbody',
  'From: ada@a.example\nContent-Type: text/html§\n\nbody',
  'From: ada@a.example\nContent-Type: application/pdf; name=§\n\nbody',
  'From: ada@a.example\nContent-Type: multipart/mixed; boundary="§"\n\n--a\n\nbody',
  'From: ada@a.example\nContent-Disposition: §\n\nbody',
  'From: ada@a.example\nContent-Disposition: attachment; filename=§\n\nbody',
  'From: ada@a.example\nContent-Disposition: attachment; filename*0*=§\n\nbody',
  'From: ada@a.example\nContent-Transfer-Encoding: §\nContent-Disposition: attachment\n\nbody',
  'From: ada@a.example\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n§',
  'From: ada@a.example\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\nYQ=§',
  'From: ada@a.example\nContent-Transfer-Encoding: quoted-printable\n\n§',
  'From: ada@a.example\nContent-Type: multipart/mixed; boundary=b\n\n--b§\n--b\n\nbody',
  'From: ada@a.example\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: §\n\nbody\n--b--\n',
];
const HEADS = ['§', 'Subject: §\n\nbody', 'a: b\n§: c\n\nbody'];
const MIXED = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n\n--b\nContent-Type: ';
const HEAD = 'From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail Returned to Sender\n';
const REPORT = `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\n`;
/** Places in a report that its sender fills. */
const REPORTS = [
  '§',
  'From: §\nSubject: Undelivered Mail Returned to Sender\n\nnot delivered',
  'From: MAILER-DAEMON@mx.example\nSubject: §\n\nnot delivered',
  `${HEAD}X-Failed-Recipients: §\n\nnot delivered`,
  `${HEAD}Auto-Submitted: §\nPrecedence: §\nReturn-Path: §\n\nnot delivered`,
  `${HEAD}Content-Type: §\n\nnot delivered`,
  `${HEAD}Content-Type: text/html\n\nnot delivered <p>§`,
  `${HEAD}\nnot delivered\n§`,
  `${HEAD}\nnot delivered\n<a@b.example>: §`,
  `${HEAD}\nnot delivered\nReason: §`,
  `${HEAD}\nnot delivered\nRemote host said: 550 5.1.1 §`,
  `${REPORT}not delivered\n§\n--b\nContent-Type: message/rfc822\n\n§`,
  `${REPORT}--b\nContent-Type: message/delivery-status\n\n§`,
  ...['Reporting-MTA', 'Final-Recipient', 'Action', 'Status', 'Remote-MTA', 'Diagnostic-Code'].map(
    (name) =>
      `${REPORT}--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; a@b.example\nAction: failed\n${name}: §`,
  ),
  'From: a@b.example\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b\n\n--b\n' +
    'Content-Type: message/feedback-report\n\nFeedback-Type: abuse\nVersion: 1\nOriginal-Rcpt-To: §\nUser-Agent: §',
  `${MIXED}message/feedback-report\n\n§`,
  `Subject: spam report\n${MIXED}message/rfc822\n\nMessage-ID: §\nReturn-Path: §\nX-Postloft-Ref: §`,
];
const everyMessage = (parse: (message: Buffer) => unknown) => MESSAGES.map((frame) => within(frame, parse));
const everyReport = (parse: (message: Buffer) => unknown) => REPORTS.map((frame) => within(frame, parse));
/** Text of one part, in each of the forms that are read. */
const asPart = (type: string, text: string) => ({
  type,
  parameters: new Map<string, string>(),
  fields: [],
  body: utf8(text),
});
const fieldsWith =
  (...names: string[]) =>
  (text: string) =>
    names.map((name) => ({ name, value: text }));
const lines = (text: string): string[] => text.split(/\r?\n/);
const withReport = (read: (report: ReportMessage) => unknown) =>
  within(`${HEAD}\n§`, (message) => read(atOnce(readReportParts(message))));

/** One of each way of decoding. */
const CHARSETS = [
  '',
  'utf-8',
  'windows-1252',
  'utf-16le',
  'gb18030',
  'euc-kr',
  'iso-2022-jp',
  'iso-2022-kr',
  'hz',
  'utf-7',
];

/** Parsers of `libs/mime`: submitted messages, reports, and the text that is composed from the fields of callers. */
export const MAIL_PARSERS: ParserTable = {
  'libs/mime/src/parse/mailbox.ts': {
    parseMailbox,
    parseRecipient: [
      parseRecipient,
      (text) => parseRecipient(text, { comments: 'read' }),
      (text) => parseRecipient(`"${text}"@example.com`),
    ],
    normaliseAddress: [normaliseAddress, (text) => normaliseAddress(`"${text}"@example.com`)],
    domainOf,
  },
  'libs/mime/src/parse/mailbox-comments.ts': { splitComments },
  'libs/mime/src/parse/address-list.ts': { splitAddressList, readAddressEntry },
  'libs/mime/src/parse/charsets.ts': {
    decodeBytes: [
      octets((bytes) => CHARSETS.map((name) => decodeBytes(bytes, name))),
      (text) => decodeBytes(utf8('a'), text),
    ],
    decodeText: [octets((bytes) => decodeText(bytes, '')), (text) => decodeText(utf8('a'), text)],
  },
  'libs/mime/src/parse/korean.ts': { decodeKorean: octets(decodeKorean) },
  'libs/mime/src/parse/encoded-words.ts': {
    decodeEncodedWords,
    blankControls,
  },
  'libs/mime/src/parse/structured-value.ts': {
    readStructuredValue: [readStructuredValue, (text) => readStructuredValue(`a; name="${text}`)],
    parameterReadings: [
      ofHeader((text) => parameterReadings(`a; name=${text}`, 'name')),
      ofHeader((text) => parameterReadings(`a; name="${text}"; name*=${text.slice(0, 1000)}`, 'name')),
    ],
    parameterName,
    splitOutsideQuotes,
  },
  'libs/mime/src/parse/line-ends.ts': { normaliseLineEnds: octets(normaliseLineEnds) },
  'libs/mime/src/parse/authserv-id.ts': { authservIdOf: (text) => authservIdOf(text) },
  'libs/mime/src/parse/message-head.ts': {
    readMessageHead: HEADS.map((frame) => within(frame, readMessageHead)),
    headerValue: HEADS.map((frame) => within(frame, (message) => headerValue(message, 'subject'))),
  },
  'libs/mime/src/parse/part-head.ts': { readPartHead: HEADS.map((frame) => within(frame, readPartHead)) },
  'libs/mime/src/parse/multipart.ts': {
    splitMultipart: [
      octets((body) => [...splitMultipart(body, 'b')]),
      octets((body) => [...splitMultipart(body, '')]),
      (text) => [...splitMultipart(latin1(text), text.slice(0, 70))],
    ],
  },
  'libs/mime/src/parse/transfer-encoding.ts': {
    decodeQuotedPrintable: octets(decodeQuotedPrintable),
    decodeTransferEncoding: [
      octets((body) => decodeTransferEncoding(body, 'base64')),
      (text) => decodeTransferEncoding(utf8('a'), text),
    ],
  },
  'libs/mime/src/parse/find-files.ts': { findFiles: everyMessage(findFiles) },
  'libs/mime/src/parse/read-parts.ts': { readParts: everyMessage(readParts) },
  'libs/mime/src/compose/prepare-relayed.ts': { prepareRelayed: everyMessage(relay) },
  'libs/mime/src/compose/relay-control-fields.ts': {
    readControlFields: (text) =>
      readControlFields([{ name: 'X-Service-Tag-a', key: 'x-service-tag-a', value: text, start: 0, end: 0 }]),
  },
  'libs/mime/src/compose/to-seven-bit.ts': {
    toSevenBit: MESSAGES.map((frame) => within(`X: \xff\n${frame}\xff`, toSevenBit)),
  },
  'libs/mime/src/compose/encode-header.ts': {
    structuredField: ofHeader((text) => structuredField('References', text)),
    foldedField: ofHeader((text) => foldedField('To', text)),
    cannotFold: ofHeader((text) => cannotFold('References', text)),
  },
  'libs/mime/src/compose/encode-parameters.ts': {
    encodeParameters: ofHeader((text) => encodeParameters('content-type', `a; name="\xff${text}`)),
  },
  'libs/mime/src/compose/encode-phrases.ts': {
    encodePhrases: ofHeader((text) => encodePhrases('to', `\xff ${text} \xff <a@b.example>`, LITERAL_TEXT)),
  },
  'libs/mime/src/compose/encode-text.ts': { encodeText, quotedPrintable: octets(quotedPrintable) },
  'libs/mime/src/compose/compose-message.ts': {
    headerProblem: ['X-A', 'References', 'Reply-To', 'Resent-To'].map((name) =>
      ofHeader((text) => headerProblem(name, text)),
    ),
  },
  'libs/mime/src/dkim/relaxed-head.ts': {
    relaxedHead: HEADS.map((frame) => within(frame, (message) => relaxedHead(message))),
    relaxedField: (text) => relaxedField('subject', text),
  },
  'libs/mime/src/reports/lenient-head.ts': {
    readLenientHead: HEADS.map((frame) => within(frame, (message) => readLenientHead(message))),
  },
  'libs/mime/src/reports/report-parts.ts': { readReportParts: octets((message) => atOnce(readReportParts(message))) },
  'libs/mime/src/reports/read-report.ts': {
    readReport: everyReport(readReport),
    reportSubject: within('Subject: §\n\n', reportSubject),
  },
  'libs/mime/src/reports/part-text.ts': {
    partLines: [
      (text) => partLines(asPart('text/plain', text)),
      (text) => partLines(asPart('text/html', text)),
      (text) => partLines(asPart('text/html', `<style>${text}`)),
    ],
  },
  'libs/mime/src/reports/phrases.ts': { foldText },
  'libs/mime/src/reports/quoted-reply.ts': {
    readQuotedReply: [readQuotedReply, (text) => readQuotedReply(`host said: 550 5.1.1 ${text}`)],
  },
  'libs/mime/src/reports/find-address.ts': {
    decodeReportedAddress: [decodeReportedAddress, (text) => decodeReportedAddress(`rfc822; ${text}`)],
    // The caller cuts the field.
    addressInField: ofHeader((text) => addressInField(text.slice(0, 20_000))),
    firstAddress,
  },
  'libs/mime/src/reports/redacted-address.ts': { isRedacted: [isRedacted, (text) => isRedacted(`${text}@b.example`)] },
  'libs/mime/src/reports/returned-mail.ts': {
    readReturnedMail: (text) => readReturnedMail(fieldsWith('message-id', 'x-postloft-ref', 'return-path')(text)),
    quotedFields: (text) => quotedFields(lines(text), 0),
    findReturnedCopy: (text) => findReturnedCopy(lines(text)),
  },
  'libs/mime/src/reports/report-sender.ts': {
    isFromMailServer: withReport(isFromMailServer),
    isReplyOrForward: withReport(isReplyOrForward),
    isAutomatic: withReport((report) => isAutomatic(report, [])),
  },
  'libs/mime/src/reports/delivery-status.ts': {
    statusFromParts: withReport((report) => atOnce(statusFromParts(report))),
    statusFromTextPart: withReport((report) => atOnce(statusFromTextPart(report))),
  },
  'libs/mime/src/reports/feedback-report.ts': {
    readFeedbackReport: withReport((report) => atOnce(readFeedbackReport(report))),
  },
  'libs/mime/src/reports/text-bounce.ts': {
    readReportText: withReport((report) => atOnce(readReportText(report))),
    readTextBounce: withReport((report) => readTextBounce(report, atOnce(readReportText(report)))),
  },
  'libs/mime/src/reports/text-bounce-recipients.ts': {
    // `readReportText` passes on lines of at most 2,000 characters.
    recipientsInText: (text) => recipientsInText(text.match(/.{1,2000}/gs) ?? [], new Set(), []),
    aliasOriginsIn: (text) => aliasOriginsIn(text.match(/.{1,2000}/gs) ?? []),
  },
  'libs/mime/src/reports/transcript.ts': {
    readTranscript: [
      (text) => readTranscript(text.match(/.{1,2000}/gs) ?? []),
      (text) => readTranscript([`>>> ${text.slice(0, 2000)}`, `<<< 550 ${text.slice(0, 2000)}`]),
    ],
  },
};
