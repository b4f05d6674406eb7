import { composeReport } from '#libs/mime';
import { reportId } from './tls-report.js';

/** Composes the message of RFC 8460 §5.3 around a compressed report. */
export function composeTlsReport(of: {
  domain: string;
  day: string;
  submitter: string;
  from: string;
  to: string;
  gzipped: Buffer;
  at: Date;
}): { subject: string; messageId: string; message: Buffer } {
  const { domain, day, submitter, from, to, gzipped, at } = of;
  const id = reportId(day, domain, submitter);
  const subject = `Report Domain: ${domain} Submitter: ${submitter} Report-ID: <${id}>`;
  const messageId = `<${day}.${domain}.tlsrpt@${submitter}>`;
  const begin = Date.parse(`${day}T00:00:00Z`) / 1000;
  const message = composeReport({
    messageId,
    date: at,
    from,
    to,
    subject: subject.replaceAll(' Submitter:', '\r\n Submitter:').replaceAll(' Report-ID:', '\r\n Report-ID:'),
    reportType: 'tlsrpt',
    headers: [
      ['TLS-Report-Domain', domain],
      ['TLS-Report-Submitter', submitter],
    ],
    text:
      `This is an aggregate report about TLS connections to the mail servers of\n${domain} on ${day} (UTC),\n` +
      `sent by ${submitter}. See RFC 8460.\n`,
    attachment: {
      type: 'application/tlsrpt+gzip',
      filename: `${submitter}!${domain}!${begin}!${begin + DAY_S - 1}.json.gz`,
      content: gzipped,
    },
    boundarySeed: `${begin}-${domain.length}`,
  });
  return { subject, messageId, message };
}

const DAY_S = 86_400;
