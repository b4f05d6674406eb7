import type { Refusal } from '#libs/contracts';
import {
  attachmentProblems,
  attachmentsFrom,
  forbiddenAttachments,
} from '../../../libs/emails/src/intake/attachments/attachment-rules.js';
import { furtherTypes } from '../../../libs/emails/src/intake/attachments/attachment-types.js';
import { requireAllowedFiles } from '../../../libs/emails/src/intake/attachments/relayed-attachments.js';
import { officeFile, zipFile } from '../samples/zip-file.js';

/** Name, content and type of a file, and the value of ATTACHMENT_TYPES. */
export type JudgedFile = [name: string, content: Buffer, type?: string, setting?: 'all' | string[]];

const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** The smallest file of each type. */
export const SMALL_FILES = {
  pdf: latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj<</Type/Catalog>>endobj\nstartxref\n9\n%%EOF\n'),
  png: latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89'),
  jpeg: latin1('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xd9'),
  gif: latin1('GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;'),
  csv: Buffer.from('name;amount\r\nAda;1,50\r\n'),
  txt: Buffer.from('Hello\n'),
  zip: zipFile(['a.txt']),
  xlsx: officeFile('xl'),
  docx: officeFile('word'),
  /** Excel and Word before 2007. */
  ole: latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0'),
};

function inRest([filename, content, type, setting]: JudgedFile): string {
  const given = [
    { filename, content: content.toString('base64'), ...(type === undefined ? {} : { content_type: type }) },
  ];
  const [malformed] = attachmentProblems(given);
  if (malformed) return malformed.code;
  const forbidden = forbiddenAttachments(attachmentsFrom(given), furtherTypes(setting));
  return forbidden.length > 0 ? forbidden[0].code : 'ok';
}

async function overSmtp([name, content, type = '', setting]: JudgedFile): Promise<string> {
  const encoded = Buffer.from(content.toString('base64'));
  const contentType = type.split(';', 1)[0].trim().toLowerCase();
  try {
    await requireAllowedFiles([{ names: [name], contentType, encoding: 'base64', encoded }], furtherTypes(setting));
    return 'ok';
  } catch (error) {
    return (error as Refusal).details[0].code;
  }
}

/** The result for each file, which must be the same over REST and SMTP. */
export async function judgeFiles(files: readonly JudgedFile[]): Promise<string[]> {
  const results = files.map(async (file) => {
    const [rest, smtp] = [inRest(file), await overSmtp(file)];
    return resultRow(file, rest === smtp ? rest : `${rest} in REST, ${smtp} over SMTP`);
  });
  return Promise.all(results);
}

/** The rows that `judgeFiles` returns if all files have this result. */
export const allWith = (files: readonly JudgedFile[], result: string): string[] =>
  files.map((file) => resultRow(file, result));

const resultRow = ([name, , type = '-']: JudgedFile, result: string): string =>
  `${JSON.stringify(name)} ${type}: ${result}`;
