import { ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import { PROBED_URL, probeHttps } from '../../probes/https-probe.js';

/** Webhooks, attachments by URL and MTA-STS policies need outbound HTTPS. */
export const outboundHttpsCheck: Check = {
  name: 'https',
  title: 'Outbound HTTPS',
  run: async (context) => [await checkHttps(context)],
};

const subject: string = PROBED_URL.host;

async function checkHttps(context: CheckContext): Promise<Result> {
  try {
    const reply = await probeHttps(context);
    if (typeof reply === 'string') return skipped({ subject, message: `It was not contacted: ${reply}.` });
    const facts = { status: reply.status, delay_ms: reply.delayMs };
    if (reply.certificateProblem === null)
      return ok({ subject, message: `It answers, in ${reply.delayMs} ms.`, facts });
    return warning({
      subject,
      message: `The server that answers has no certificate for that name (${reply.certificateProblem}): something on the way opens TLS, or the list of authorities is out of date. Webhooks and MTA-STS (RFC 8461) do not work like this.`,
      fix: 'Exempt this machine from the proxy that opens TLS, or NODE_EXTRA_CA_CERTS=<the certificate of its authority>',
      facts,
    });
  } catch (problem) {
    const { code, message } = problem as NodeJS.ErrnoException;
    return warning({
      subject,
      message: `It cannot be reached: ${message || code}. Webhooks, attachments by URL and MTA-STS policies need outbound HTTPS.`,
      fix: 'Open outbound TCP port 443 (and those of your webhooks) in the firewall.',
    });
  }
}
