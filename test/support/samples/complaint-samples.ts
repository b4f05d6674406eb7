import { readFileSync } from 'node:fs';
import { base64Lines, readTable } from './golden-tables.js';

export type ComplaintEffect = 'suppressed' | 'suppressed_2' | 'complained' | 'unsubscribed' | 'none';

/** One labelled sample of `test/golden/reports/arf`; the columns are explained in its README. */
export interface ComplaintSample {
  file: string;
  to: 'fbl' | 'abuse' | 'return_path';
  recipients: number;
  ageDays: number;
  mapped: boolean;
  effect: ComplaintEffect;
  verdict: string;
}

const FOLDER = new URL('../../golden/reports/arf/', import.meta.url);
const BLOCK = /\{\{(base64|quoted)\}\}\n([\s\S]*?)\n\{\{\/\1\}\}/g;

export function readComplaintSamples(): ComplaintSample[] {
  const rows = readTable(new URL('labels.tsv', FOLDER));
  return rows.map(([file, to, recipients, ageDays, mail, effect, verdict]) => ({
    ...{ file, to: to as ComplaintSample['to'], effect: effect as ComplaintEffect, verdict },
    ...{ recipients: Number(recipients), ageDays: Number(ageDays), mapped: mail === 'yes' },
  }));
}

/** The sample as it comes in; `values` by the names of the placeholders. @throws when one of them has no value. */
export function complaintMessage(file: string, values: Readonly<Record<string, string>>): Buffer {
  // One character is one octet.
  const filled = readFileSync(new URL(`${file}.eml`, FOLDER), 'latin1').replace(
    /\{\{(?!base64|quoted)(\w+)\}\}/g,
    (_all, name: string) => {
      if (!(name in values)) throw new Error(`no value for ${name}`);
      return values[name];
    },
  );
  const encoded = filled.replace(BLOCK, (_all, encoding: string, text: string) =>
    encoding === 'base64' ? base64Lines(text.replaceAll('\n', '\r\n')) : quoted(text),
  );
  return Buffer.from(encoded.replaceAll('\n', '\r\n'), 'latin1');
}

/** Broken up as often as may be, and more than needed. */
const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/[=_@\x80-\xff]/g, (char) => `=${char.charCodeAt(0).toString(16).toUpperCase()}`))
    .map((line) => (line.match(/(?:=..|.){1,24}/g) ?? ['']).join('=\n'))
    .join('\n');
