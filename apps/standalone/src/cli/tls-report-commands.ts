import type { TlsReport } from '#libs/emails';
import type { Command } from './command.js';
import { UsageError } from './usage-error.js';

const show: Command = {
  name: 'tls-reports show',
  positionals: ['domain'],
  options: { day: { type: 'string' } },
  synopsis: '[--day D]',
  summary: 'Shows what a receiving domain is told about TLS (RFC 8460); --day 2026-01-31, else today so far. In UTC.',
  prepare: ({ positionals: [domain], options: { day = new Date().toISOString().slice(0, 10) } }) => {
    if (typeof day !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day)))
      throw new UsageError('--day must be a day such as 2026-01-31.');
    return async (admin) => {
      const report = await admin.tlsReport(domain.toLowerCase(), day);
      return { json: report, text: report === null ? `No TLS session with ${domain} on ${day}.` : lines(report) };
    };
  },
};

export const TLS_REPORT_COMMANDS: readonly Command[] = [show];

function lines({ policies }: TlsReport): string {
  return policies
    .flatMap(({ policy, summary, 'failure-details': failures = [] }) => [
      `${policy['policy-type']}: ${summary['total-successful-session-count']} sessions as they should be, ` +
        `${summary['total-failure-session-count']} not`,
      ...failures.map((one) => {
        const where = one['receiving-mx-hostname'] ?? 'no server';
        const reason = one['failure-reason-code'] ?? '';
        return `  ${one['failed-session-count']} × ${one['result-type']} at ${where} ${reason}`.trimEnd();
      }),
    ])
    .join('\n');
}
