import type { Queryable } from '#libs/persistence';
import { tlsReport, type CountedResult, type TlsReport } from './tls-report.js';

/** The report about one domain and day as far as it is counted; null when there was no session. */
export async function tlsReportOf(
  db: Queryable,
  { domain, day, submitter }: { domain: string; day: string; submitter: string },
): Promise<TlsReport | null> {
  const { rows } = await db.query<CountedResult>(
    'SELECT result, sessions FROM tls_results WHERE day = $1 AND policy_domain = $2 ORDER BY kind',
    [day, domain],
  );
  if (rows.length === 0) return null;
  return tlsReport({ domain, day, submitter, contact: `postmaster@${submitter}`, results: rows });
}
