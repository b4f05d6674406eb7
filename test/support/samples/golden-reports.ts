import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

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
const HELD_OUT_BYTES = 64;
const BASE64_BLOCK = /\{\{base64\}\}\n(.*?)\{\{\/base64\}\}/gs;

export function readGoldenReports(): GoldenReport[] {
  const [, ...lines] = readFileSync(new URL('expected.tsv', FOLDER), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [name, part, system, language, kind, recipients, returned] = line.split('\t');
    return {
      name,
      part: part as GoldenReport['part'],
      system,
      language,
      kind,
      recipients: recipients === '-' ? [] : recipients.split('; ').map(toRecipient),
      returned: {
        messageId: returned.includes('m'),
        trace: returned.includes('t'),
        returnPath: returned.includes('p'),
      },
    };
  });
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

/** The part that a sample belongs to is no choice: a quarter of all hashes. */
export function reportPartOf(name: string): GoldenReport['part'] {
  return createHash('sha256').update(name).digest()[0] < HELD_OUT_BYTES ? 'held-out' : 'known';
}

function base64Lines(text: string): string {
  const encoded = Buffer.from(text, 'latin1').toString('base64');
  return (encoded.match(/.{1,76}/g) ?? []).join('\n');
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
