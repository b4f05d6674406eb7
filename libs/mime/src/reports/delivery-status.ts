import { decodeWords } from '../decode-words.js';
import type { DeliveryStatus, DsnAction } from './inbound-report.js';
import { partLines } from './part-text.js';
import { mostTelling, refusalWords } from './refusal-words.js';
import { reportedAddress } from './report-address.js';
import { fieldOf, type ReportField } from './report-fields.js';
import type { ReportPart, ReportTree } from './report-parts.js';
import { isFromMailer } from './report-sender.js';

export interface StatusReport {
  reportingMta: string | null;
  recipients: DeliveryStatus[];
  /** All fields of the report, those of its recipients too. */
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

/** The parts made for programs (RFC 3464, RFC 6533); null where none of them names a recipient. */
export function declaredStatus({ parts }: ReportTree): StatusReport | null {
  const fields: PlacedField[] = [];
  for (const part of parts.filter(({ type }) => STATUS_TYPE.test(type)).slice(0, MAX_PARTS)) {
    // Without a blank line before the body, its first fields were read as the part's head.
    fields.push(...part.fields, ...fieldsOf(part));
    if (fields.length >= MAX_FIELDS) break;
  }
  return statusReport(fields);
}

/** The same fields in a part that is called a text: by gateways that flatten mail, and senders that know no better. */
export function flattenedStatus(tree: ReportTree): StatusReport | null {
  if (!isFromMailer(tree) && !tree.type.value.startsWith('multipart/report')) return null;
  const texts = tree.parts.filter(({ type }) => type.startsWith('text/') && type !== 'text/html');
  for (const part of texts.slice(0, MAX_PARTS)) {
    if (!FLATTENED.test(part.body.toString('latin1'))) continue;
    const fields = fieldsOf(part);
    const complete = fieldOf(fields, 'final-recipient') !== '' && fieldOf(fields, 'action') !== '';
    if (complete && fieldOf(fields, 'disposition') === '') return statusReport(fields);
  }
  return null;
}

interface PlacedField extends ReportField {
  /** A blank line stands before it. */
  parted?: boolean;
}

/** Fields wherever they stand; a line that is none goes on with the one before it, indented or not. */
function fieldsOf(part: ReportPart): PlacedField[] {
  const fields: PlacedField[] = [];
  let parted = true;
  for (const line of partLines(part)) {
    if (fields.length === MAX_FIELDS) break;
    const found = FIELD.exec(line.slice(0, MAX_VALUE));
    if (line.trim() === '') parted = true;
    else if (found) fields.push({ name: found[1].toLowerCase(), value: found[2].trim(), parted });
    else if (fields.length > 0 && !parted && !line.startsWith('--')) extend(fields[fields.length - 1], line);
    if (line.trim() !== '') parted = false;
  }
  return fields.map((field) => ({ ...field, value: decodeWords(field.value) }));
}

function extend(field: ReportField, line: string): void {
  if (field.value.length < MAX_VALUE) field.value += ` ${line.slice(0, MAX_VALUE).trim()}`;
}

function statusReport(fields: readonly PlacedField[]): StatusReport | null {
  const all = groupsOf(fields.slice(0, MAX_FIELDS))
    .slice(0, MAX_GROUPS)
    .flatMap((group) => toStatus(group) ?? []);
  const recipients = [...new Map(all.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
  if (recipients.length === 0) return null;
  return {
    reportingMta: hostOf(fieldOf(fields, 'reporting-mta')),
    recipients: recipients.slice(0, MAX_RECIPIENTS),
    fields: [...fields],
  };
}

const keyOf = ({ action, finalRecipient }: DeliveryStatus): string => `${action} ${finalRecipient?.toLowerCase()}`;

/**
 * Blank lines between recipients get lost, and others appear within one: a group begins where a field of its kind would
 * come for the second time.
 */
function groupsOf(fields: readonly PlacedField[]): PlacedField[][] {
  const groups: PlacedField[][] = [[]];
  for (const field of fields) {
    const group = groups[groups.length - 1];
    const has = (name: string) => group.some((other) => other.name === name);
    const begins =
      (field.name === 'final-recipient' && has('final-recipient')) ||
      (field.name === 'original-recipient' &&
        (has('original-recipient') || (field.parted === true && has('final-recipient'))));
    if (begins) groups.push([field]);
    else group.push(field);
  }
  return groups;
}

function toStatus(group: readonly ReportField[]): DeliveryStatus | null {
  const field = STATUS.exec(fieldOf(group, 'status'))?.[0] ?? null;
  const diagnostic = fieldOf(group, 'diagnostic-code');
  const words = refusalWords(diagnostic.replace(TYPED, ''));
  const action = actionOf(fieldOf(group, 'action'), field ?? words.status ?? String(words.smtpCode ?? ''));
  if (action === null) return null;
  return {
    action,
    finalRecipient: reportedAddress(fieldOf(group, 'final-recipient')),
    originalRecipient: reportedAddress(fieldOf(group, 'original-recipient')),
    status: mostTelling(field, words.status),
    smtpCode: words.smtpCode,
    text: words.text,
    remoteMta: hostOf(fieldOf(group, 'remote-mta')),
  };
}

/** Without an action that RFC 3464 knows, the class of the status says it. */
function actionOf(value: string, status: string): DsnAction | null {
  const word = ACTION.exec(value.trim())?.[0].toLowerCase() ?? '';
  if (ACTIONS.has(word)) return word as DsnAction;
  const byClass: Readonly<Record<string, DsnAction>> = { '2': 'delivered', '4': 'delayed', '5': 'failed' };
  return byClass[status.charAt(0)] ?? null;
}

function hostOf(value: string): string | null {
  return HOST.exec(value.replace(TYPED, '').trim())?.[0].replace(/\.$/, '') ?? null;
}
