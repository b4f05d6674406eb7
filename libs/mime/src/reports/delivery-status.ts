import { decodeEncodedWords } from '../parse/encoded-words.js';
import type { DeliveryStatus, DsnAction } from './inbound-report.js';
import { partLines } from './part-text.js';
import { moreSpecificStatus, readQuotedReply } from './quoted-reply.js';
import { decodeReportedAddress } from './find-address.js';
import { fieldValue, type ReportField } from './lenient-head.js';
import type { ReportPart, ReportMessage, Steps } from './report-parts.js';
import { isFromMailServer } from './report-sender.js';

export interface StatusReport {
  reportingMta: string | null;
  recipients: DeliveryStatus[];
  /** All fields of the report, including those of its recipients. */
  fields: ReportField[];
}

const STATUS_TYPE = /^message\/(?:global-)?delivery-status$/;
const ACTION = /^[a-z]{1,20}/i;
const ACTIONS: ReadonlySet<string> = new Set<DsnAction>(['failed', 'delayed', 'delivered', 'relayed', 'expanded']);
const STATUS = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const FIELD = /^([A-Za-z][A-Za-z0-9-]{0,80})[ \t]{0,9}:(.*)$/;
/** `smtp; …`, `dns; …`. */
const TYPED = /^\s{0,9}[A-Za-z][A-Za-z0-9-]{0,40}\s{0,9};\s{0,9}/;
const HOST = /^[^\s()[\],;]{1,255}/;
const FLATTENED = /^final-recipient[ \t]{0,9}:/im;
/** Parts that are read. */
const MAX_PARTS = 20;
const MAX_FIELDS = 5_000;
const MAX_RECIPIENTS = 500;
const MAX_GROUPS = 1_000;
const MAX_VALUE = 4_000;

/** Reads the machine-readable parts (RFC 3464, RFC 6533); null where none of them names a recipient. */
export function* statusFromParts({ parts }: ReportMessage): Steps<StatusReport | null> {
  const fields: StatusField[] = [];
  for (const part of parts.filter(({ type }) => STATUS_TYPE.test(type)).slice(0, MAX_PARTS)) {
    // Without a blank line before the body, its first fields were read as header fields of the part.
    fields.push(...part.fields, ...fieldsOf(part));
    yield;
    if (fields.length >= MAX_FIELDS) break;
  }
  return statusReport(fields);
}

/** Reads the same fields from a part that is declared as text, as some gateways and mail servers do. */
export function* statusFromTextPart(report: ReportMessage): Steps<StatusReport | null> {
  if (!isFromMailServer(report) && !report.type.value.startsWith('multipart/report')) return null;
  const texts = report.parts.filter(({ type }) => type.startsWith('text/') && type !== 'text/html');
  for (const part of texts.slice(0, MAX_PARTS)) {
    yield;
    if (!FLATTENED.test(part.body.toString('latin1'))) continue;
    const fields = fieldsOf(part);
    const complete = fieldValue(fields, 'final-recipient') !== '' && fieldValue(fields, 'action') !== '';
    if (complete && fieldValue(fields, 'disposition') === '') return statusReport(fields);
  }
  return null;
}

interface StatusField extends ReportField {
  afterBlankLine?: boolean;
}

/** Fields anywhere in the part. Any other line continues the field before it, indented or not. */
function fieldsOf(part: ReportPart): StatusField[] {
  const fields: StatusField[] = [];
  let parted = true;
  for (const line of partLines(part)) {
    if (fields.length === MAX_FIELDS) break;
    const found = FIELD.exec(line.slice(0, MAX_VALUE));
    if (line.trim() === '') parted = true;
    else if (found) fields.push({ name: found[1].toLowerCase(), value: found[2].trim(), afterBlankLine: parted });
    else if (fields.length > 0 && !parted && !line.startsWith('--')) extend(fields[fields.length - 1], line);
    if (line.trim() !== '') parted = false;
  }
  return fields.map((field) => ({ ...field, value: decodeEncodedWords(field.value) }));
}

function extend(field: ReportField, line: string): void {
  if (field.value.length < MAX_VALUE) field.value += ` ${line.slice(0, MAX_VALUE).trim()}`;
}

function statusReport(fields: readonly StatusField[]): StatusReport | null {
  const all = groupsOf(fields.slice(0, MAX_FIELDS))
    .slice(0, MAX_GROUPS)
    .flatMap((group) => toStatus(group) ?? []);
  const recipients = [...new Map(all.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
  if (recipients.length === 0) return null;
  return {
    reportingMta: hostOf(fieldValue(fields, 'reporting-mta')),
    recipients: recipients.slice(0, MAX_RECIPIENTS),
    fields: [...fields],
  };
}

const keyOf = ({ action, finalRecipient }: DeliveryStatus): string => `${action} ${finalRecipient?.toLowerCase()}`;

/**
 * The fields of each recipient. Blank lines between recipients may be missing, and others may occur within one, so a group
 * begins where a field would occur for the second time.
 */
function groupsOf(fields: readonly StatusField[]): StatusField[][] {
  const groups: StatusField[][] = [[]];
  for (const field of fields) {
    const group = groups[groups.length - 1];
    const has = (name: string) => group.some((other) => other.name === name);
    const begins =
      (field.name === 'final-recipient' && has('final-recipient')) ||
      (field.name === 'original-recipient' &&
        (has('original-recipient') || (field.afterBlankLine === true && has('final-recipient'))));
    if (begins) groups.push([field]);
    else group.push(field);
  }
  return groups;
}

function toStatus(group: readonly ReportField[]): DeliveryStatus | null {
  const field = STATUS.exec(fieldValue(group, 'status'))?.[0] ?? null;
  const diagnostic = fieldValue(group, 'diagnostic-code');
  const reply = readQuotedReply(diagnostic.replace(TYPED, ''));
  const action = actionOf(fieldValue(group, 'action'), field ?? reply.status ?? String(reply.smtpCode ?? ''));
  if (action === null) return null;
  return {
    action,
    finalRecipient: decodeReportedAddress(fieldValue(group, 'final-recipient')),
    originalRecipient: decodeReportedAddress(fieldValue(group, 'original-recipient')),
    status: moreSpecificStatus(field, reply.status),
    smtpCode: reply.smtpCode,
    text: reply.text,
    remoteMta: hostOf(fieldValue(group, 'remote-mta')),
  };
}

/** Without an action of RFC 3464, the class of the status decides. */
function actionOf(value: string, status: string): DsnAction | null {
  const word = ACTION.exec(value.trim())?.[0].toLowerCase() ?? '';
  if (ACTIONS.has(word)) return word as DsnAction;
  const byClass: Readonly<Record<string, DsnAction>> = { '2': 'delivered', '4': 'delayed', '5': 'failed' };
  return byClass[status.charAt(0)] ?? null;
}

function hostOf(value: string): string | null {
  return HOST.exec(value.replace(TYPED, '').trim())?.[0].replace(/\.$/, '') ?? null;
}
