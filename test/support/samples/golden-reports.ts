import { readFileSync } from 'node:fs';
import { base64Lines, readTable } from './golden-tables.js';

/** The sent message that a report is about; fills the placeholders of the samples. */
export interface SentMail {
  /** Envelope sender. */
  returnPath: string;
  /** Value of `X-Postloft-Ref`. */
  trace: string;
  /** With its angle brackets. */
  messageId: string;
  recipient: string;
}

export interface ExpectedRecipient {
  action: string;
  /** Null where the report names none. `{{recipient}}` stands for the sent mail's. */
  address: string | null;
  /** Null where it is the same. */
  original: string | null;
  /** A `BounceClass`; null where nothing failed. */
  class: string | null;
}

/** One labelled sample of `test/golden/reports/dsn`; the columns are explained in its README. */
export interface GoldenReport {
  name: string;
  part: 'known' | 'held-out';
  system: string;
  language: string;
  kind: string;
  recipients: ExpectedRecipient[];
  returned: { messageId: boolean; trace: boolean; returnPath: boolean };
}

const FOLDER = new URL('../../golden/reports/dsn/', import.meta.url);
const BASE64_BLOCK = /\{\{base64\}\}\n(.*?)\{\{\/base64\}\}/gs;

export function readGoldenReports(): GoldenReport[] {
  const rows = readTable(new URL('expected.tsv', FOLDER));
  return rows.map(([name, part, system, language, kind, recipients, found]) => ({
    ...{ name, part: part as GoldenReport['part'], system, language, kind },
    recipients: recipients === '-' ? [] : recipients.split('; ').map(toRecipient),
    returned: { messageId: found.includes('m'), trace: found.includes('t'), returnPath: found.includes('p') },
  }));
}

/** The sample as it arrives, about that mail. */
export function goldenReportMail(name: string, sent: SentMail): Buffer {
  // One character is one octet: samples are in many charsets.
  const template = readFileSync(new URL(`${name}.eml`, FOLDER), 'latin1');
  const filled = fillPlaceholders(template, sent)
    .replace(BASE64_BLOCK, (_block, text: string) => base64Lines(text))
    .replaceAll('\n', '\r\n');
  return Buffer.from(filled, 'latin1');
}

/** `text` with the placeholders filled from the sent message. */
export function fillPlaceholders(text: string, { returnPath, trace, messageId, recipient }: SentMail): string {
  return text
    .replaceAll('{{return_path}}', returnPath)
    .replaceAll('{{trace}}', trace)
    .replaceAll('{{message_id}}', messageId)
    .replaceAll('{{recipient}}', recipient);
}

function toRecipient(text: string): ExpectedRecipient {
  const [action, addresses, name] = text.split(' ');
  const [address, original] = addresses.split('|');
  return {
    action,
    address: address === '-' ? null : address,
    original: original ?? null,
    class: name === '-' ? null : name,
  };
}
