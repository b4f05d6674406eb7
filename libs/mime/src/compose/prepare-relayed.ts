import { isAscii, isUtf8 } from 'node:buffer';
import { blankControls, decodeEncodedWords } from '../parse/encoded-words.js';
import { bracketed, rfc5322Date } from './encode-header.js';
import { findFiles } from '../parse/find-files.js';
import { domainOf, parseRecipient, type Mailbox } from '../parse/mailbox.js';
import { splitAddressList } from '../parse/address-list.js';
import { authservIdOf } from '../parse/authserv-id.js';
import { readMessageHead, type HeaderField, type MessageHead } from '../parse/message-head.js';
import { isControlField, readControlFields } from './relay-control-fields.js';
import type { RelayedMessage, RelayOptions, RelayProblem } from './relayed-message.js';

/** RFC 5321 §6.3: a message that passed this many servers is in a loop. */
const MAX_RECEIVED = 100;

/** Fields that may occur once (RFC 5322 §3.6, RFC 2045 §3, RFC 2369 §3). Of two, readers differ in the one they show. */
const SINGLETONS = new Map(
  [
    'From',
    'Sender',
    'Reply-To',
    'To',
    'Cc',
    'Subject',
    'Date',
    'Message-ID',
    'In-Reply-To',
    'References',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'Content-Disposition',
    'Content-ID',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
  ].map((name) => [name.toLowerCase(), name]),
);
/** Other fields of a sender, which a reader may show instead of From. */
const OTHER_SENDERS = new Map(['Sender', 'Resent-From', 'Resent-Sender'].map((name) => [name.toLowerCase(), name]));
/** Also what this service or the last server adds, so that nobody takes the sender's own value for it. */
const REMOVED = new Set(['bcc', 'resent-bcc', 'return-path', 'delivered-to', 'feedback-id', 'x-postloft-ref']);

type FieldsByName = Map<string, HeaderField[]>;

/**
 * Prepares a submitted message (after `LineEndNormaliser`) for relaying, or refuses it: exactly one sender in `From`, no
 * repeated singleton field, no loop, no file that only some readers show. The body stays as it is.
 */
export function prepareRelayed(message: Buffer, options: RelayOptions): RelayedMessage | RelayProblem {
  const head = readMessageHead(message);
  if ('problem' in head) return malformed(head.problem);
  const byName = groupByName(head.fields);
  const problem = structureProblem(byName);
  if (problem) return problem;
  const from = readFrom(message, byName);
  if ('problem' in from) return from;
  const foreign = otherSenderProblem(byName, from);
  if (foreign) return foreign;
  const controls = readControlFields(head.fields);
  if ('problem' in controls) return controls;
  const value = (name: string) => byName.get(name)?.[0].value ?? '';
  const messageId = value('message-id') || completeId(options.messageId(), from);
  const files = isPlainTextMessage(value) ? [] : findFiles(message);
  if ('problem' in files) return malformed(files.problem);
  const headPieces = rewriteHead(message, head, {
    added: missingFields(byName, messageId, options.date(controls.scheduledAt)),
    removed: head.fields.filter((field) => isRemoved(field) || isOwnVerdict(field, options.serviceDomain)),
  });
  const body = message.subarray(head.bodyOffset);
  return {
    pieces: headPieces === null ? [message] : [...headPieces, message.subarray(headEndOf(head))],
    files,
    from,
    to: splitAddressList(value('to')),
    cc: splitAddressList(value('cc')),
    replyTo: splitAddressList(value('reply-to')),
    subject: decodeEncodedWords(value('subject')),
    messageId: blankControls(messageId),
    ...controls,
    hasListUnsubscribe: byName.has('list-unsubscribe') || byName.has('list-unsubscribe-post'),
    smtputf8: !(headPieces ?? [message.subarray(0, head.bodyOffset)]).every((piece) => isAscii(piece)),
    eightBit: !isAscii(body),
  };
}

/** Recognises most mail without files by its header alone, and most mail has no files. */
function isPlainTextMessage(value: (name: string) => string): boolean {
  const type = value('content-type').toLowerCase();
  return (type === '' || type.startsWith('text/')) && !type.includes('name') && value('content-disposition') === '';
}

function groupByName(fields: HeaderField[]): FieldsByName {
  const byName: FieldsByName = new Map();
  for (const field of fields) {
    const others = byName.get(field.key);
    if (others) others.push(field);
    else byName.set(field.key, [field]);
  }
  return byName;
}

/** Whether a List-Unsubscribe has a URI that accepts a POST (RFC 8058 §3.1). */
export const hasHttpsUri = (listUnsubscribe: string): boolean => /<\s{0,9}https:/i.test(listUnsubscribe);

function structureProblem(byName: FieldsByName): RelayProblem | undefined {
  if ((byName.get('received')?.length ?? 0) >= MAX_RECEIVED) {
    return { problem: 'too many hops, the message runs in a circle', code: 554, enhanced: '5.4.6', field: 'Received' };
  }
  for (const [key, fields] of byName) {
    const name = fields.length > 1 ? SINGLETONS.get(key) : undefined;
    if (name) return malformed(`header ${name} is given more than once`, name);
  }
  const isAlone = byName.has('list-unsubscribe-post') && !hasHttpsUri(byName.get('list-unsubscribe')?.[0].value ?? '');
  if (isAlone)
    return malformed(
      'header List-Unsubscribe-Post needs a List-Unsubscribe that has an https URI',
      'List-Unsubscribe-Post',
    );
  return byName.has('from') ? undefined : malformed('header From is missing', 'From');
}

/** RFC 5322 allows several mailboxes in From. One is required here, because the account must own its domain. */
function readFrom(message: Buffer, byName: FieldsByName): Mailbox | RelayProblem {
  const [field] = byName.get('from') ?? [];
  // Otherwise the address checked here would differ from the octets that the next server reads.
  if (field && !isUtf8(message.subarray(field.start, field.end))) return malformed('header From is not UTF-8', 'From');
  const mailbox = field ? readSender(field) : { problem: 'is missing' };
  if ('problem' in mailbox) return unauthorised(`header From ${mailbox.problem}`, 'From');
  return { address: mailbox.address, name: decodeEncodedWords(mailbox.name).trim() };
}

function readSender(field: HeaderField): Mailbox | { problem: string } {
  const mailbox = parseRecipient(field.value.replace(/\t/g, ' '), { comments: 'read' });
  if ('problem' in mailbox) return mailbox;
  // Legal as an atom, but some readers decode it and then show another address.
  return mailbox.address.includes('=?') ? { problem: 'must not have an encoded word in its address' } : mailbox;
}

function otherSenderProblem(byName: FieldsByName, from: Mailbox): RelayProblem | undefined {
  const domain = domainOf(from.address);
  for (const [key, name] of OTHER_SENDERS) {
    for (const field of byName.get(key) ?? []) {
      const mailbox = readSender(field);
      if ('problem' in mailbox) return unauthorised(`header ${name} ${mailbox.problem}`, name);
      if (domainOf(mailbox.address) !== domain) {
        return unauthorised(`header ${name} must have the same domain as From`, name);
      }
    }
  }
  return undefined;
}

function completeId(messageId: string, from: Mailbox): string {
  return bracketed(messageId.includes('@') ? messageId : `${messageId}@${domainOf(from.address)}`);
}

function missingFields(byName: FieldsByName, messageId: string, date: Date): string {
  const isGiven = (key: string) => byName.get(key)?.some(({ value }) => value !== '') ?? false;
  return (
    (isGiven('message-id') ? '' : `Message-ID: ${messageId}\r\n`) +
    (isGiven('date') ? '' : `Date: ${rfc5322Date(date)}\r\n`)
  );
}

/** The end of the last field. */
const headEndOf = ({ fields }: MessageHead): number => fields.at(-1)?.end ?? 0;

/** The header without removed fields and with added ones at its end, otherwise unchanged; null where nothing changes. */
function rewriteHead(
  message: Buffer,
  head: MessageHead,
  { added, removed }: { added: string; removed: HeaderField[] },
): Buffer[] | null {
  if (removed.length === 0 && added === '') return null;
  const pieces: Buffer[] = [];
  let keptFrom = 0;
  for (const { start, end } of removed) {
    pieces.push(message.subarray(keptFrom, start));
    keptFrom = end;
  }
  pieces.push(message.subarray(keptFrom, headEndOf(head)), Buffer.from(added));
  return pieces;
}

function isRemoved({ key, value }: HeaderField): boolean {
  return REMOVED.has(key) || isControlField(key) || (value === '' && (key === 'date' || key === 'message-id'));
}

/** RFC 8601 §5: results in the name of this service that did not come from it. Those of other services stay. */
function isOwnVerdict({ key, value }: HeaderField, serviceDomain: string): boolean {
  if (key !== 'authentication-results') return false;
  const id = authservIdOf(value);
  return id === serviceDomain || id.endsWith(`.${serviceDomain}`);
}

function malformed(problem: string, field?: string): RelayProblem {
  return { problem, code: 554, enhanced: '5.6.0', ...(field ? { field } : {}) };
}

function unauthorised(problem: string, field: string): RelayProblem {
  return { problem, code: 550, enhanced: '5.7.1', field };
}
