import { randomBytes } from 'node:crypto';

/** What every client of docs/smtp.md sends. */
export const COMMON = {
  fromName: 'Bücher & Söhne',
  subject: 'Grüße aus Köln – 請求書',
  text: 'Vielen Dank für Ihre Bestellung!\n.\n',
  fileName: 'Rechnung für Ada.pdf',
  file: Buffer.concat([Buffer.from('%PDF-1.4\n'), randomBytes(50_000), Buffer.from('\n%%EOF\n')]),
  blind: 'archive@example.org',
};

/** The common mail as a file, with a blind recipient in its header and line feeds alone, as files have them. */
export function readyMessage(sender: string, recipient: string): string {
  const word = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
  return [
    `From: ${word(COMMON.fromName)} <${sender}>`,
    `To: Ada Lovelace <${recipient}>`,
    `Bcc: ${COMMON.blind}`,
    `Subject: ${word(COMMON.subject)}`,
    'X-Service-Tag-Order: 42',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="=_1"',
    '',
    '--=_1',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    COMMON.text,
    '--=_1',
    'Content-Type: application/pdf',
    `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(COMMON.fileName)}`,
    'Content-Transfer-Encoding: base64',
    '',
    COMMON.file.toString('base64').replace(/(.{76})/g, '$1\n'),
    '--=_1--',
    '',
  ].join('\n');
}
