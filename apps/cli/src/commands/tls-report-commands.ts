import type { TlsReport } from '#libs/tls-reports';
import { UsageError, type Command } from './command.js';

const show: Command = {
  name: 'tls-reports show',
  positionals: ['domain'],
  options: { day: { type: 'string' } },
  synopsis: '[--day D]',
  summary: 'Shows the TLS report for a receiving domain (RFC 8460): --day 2026-01-31, default today so far, in UTC.',
  prepare: ({ positionals: [domain], options: { day = new Date().toISOString().slice(0, 10) } }) => {
    if (typeof day !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day)))
      throw new UsageError('--day must be a day such as 2026-01-31.');
    return async (admin) => {
      const report = await admin.tlsReport(domain.toLowerCase(), day);
      return { json: report, text: report === null ? `No TLS session with ${domain} on ${day}.` : reportText(report) };
    };
  },
};

export const TLS_REPORT_COMMANDS: readonly Command[] = [show];

function reportText({ policies }: TlsReport): string {
  return policies
    .flatMap(({ policy, summary, 'failure-details': failures = [] }) => [
      `${policy['policy-type']}: ${summary['total-successful-session-count']} sessions without a failure, ` +
        `${summary['total-failure-session-count']} with one`,
      ...failures.map((one) => {
        const where = one['receiving-mx-hostname'] ?? 'no server';
        const reason = one['failure-reason-code'] ?? '';
        return `  ${one['failed-session-count']} × ${one['result-type']} at ${where} ${reason}`.trimEnd();
      }),
    ])
    .join('\n');
}
