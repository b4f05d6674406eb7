export interface ReportMail {
  messageId: string;
  date: Date;
  from: string;
  to: string;
  subject: string;
  /** `tlsrpt`, `delivery-status`, …: the report-type of RFC 6522. */
  reportType: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** The part for people, in ASCII. */
  text: string;
  attachment: { type: string; filename: string; content: Buffer };
  /** The same seed gives the same bytes. */
  boundarySeed: string;
}

/**
 * Composes a multipart/report (RFC 6522) of a text and one attachment. Every value must be ASCII without line ends, so
 * domain names must be given as A-labels.
 */
export function composeReport(mail: ReportMail): Buffer {
  const boundary = `report-${mail.boundarySeed}`;
  const { type, filename, content } = mail.attachment;
  const lines = [
    `From: ${mail.from}`,
    `To: ${mail.to}`,
    `Subject: ${mail.subject}`,
    `Date: ${mail.date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${mail.messageId}`,
    'Auto-Submitted: auto-generated',
    ...mail.headers.map(([name, value]) => `${name}: ${value}`),
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${mail.reportType};\r\n boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=us-ascii',
    'Content-Transfer-Encoding: 7bit',
    '',
    ...mail.text.split('\n'),
    `--${boundary}`,
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: attachment;\r\n filename="${filename}"`,
    '',
    ...(content.toString('base64').match(/.{1,76}/g) ?? []),
    `--${boundary}--`,
    '',
  ];
  return Buffer.from(lines.join('\r\n'), 'latin1');
}
