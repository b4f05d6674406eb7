import type { Check } from '../check.js';
import { ok, skipped, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';
import { askWeb, WELL_KNOWN } from '../web-question.js';

/** Webhooks, attachments by URL and the policies of MTA-STS need a way out to port 443. */
export const webCheck: Check = {
  name: 'https',
  title: 'Way to the web',
  asks: 'Can web servers be reached from here, for webhooks, MTA-STS and attachments by URL?',
  look: async (patient) => [await lookAt(patient)],
};

const subject: string = WELL_KNOWN.host;

async function lookAt(patient: Patient): Promise<Remark> {
  try {
    const answer = await askWeb(patient);
    if (typeof answer === 'string') return skipped({ subject, message: `It was not asked: ${answer}.` });
    const facts = { status: answer.status, delay_ms: answer.delayMs };
    if (answer.doubt === null) return ok({ subject, message: `It answers, in ${answer.delayMs} ms.`, facts });
    return warning({
      subject,
      message: `What answers there has no certificate for that name (${answer.doubt}): something on the way opens TLS, or the list of authorities is old. Webhooks and MTA-STS (RFC 8461) fail behind it.`,
      fix: 'Let this machine past the proxy that opens TLS, or NODE_EXTRA_CA_CERTS=<the certificate of its authority>',
      facts,
    });
  } catch (problem) {
    const { code, message } = problem as NodeJS.ErrnoException;
    return warning({
      subject,
      message: `It cannot be reached: ${message || code}. Webhooks, attachments by URL and the policies of MTA-STS need a way out.`,
      fix: 'Let outbound TCP port 443 (and those of your webhooks) through the firewall.',
    });
  }
}
