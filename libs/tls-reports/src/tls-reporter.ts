import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { StubResolver } from '#libs/dns';
import { SystemMail } from '#libs/emails';
import { Config, Log } from '#libs/kernel';
import { SafeFetch } from '#libs/safe-fetch';
import { Database } from '#libs/persistence';
import { reportAddresses, type ReportAddress } from './report-addresses.js';
import { composeTlsReport } from './tls-report-message.js';
import type { TlsReport } from './tls-report.js';
import { tlsReportOf } from './tls-results.js';

const compress = promisify(gzip);

/** Maximum number of reports per round. */
const REPORTS_PER_ROUND = 50;
const DNS_MS = 2_000;
const POST_MS = 15_000;
const RESPONSE_BYTES = 64 * 1024;
/** Results and reports are kept this long. */
const KEPT_DAYS = 14;
/** RFC 8460 §5.5: a report that could not be submitted is retried hourly for a day. */
const MAX_ATTEMPTS = 24;

interface DueReport {
  day: string;
  domain: string;
}
interface CompressedReport extends DueReport {
  gzipped: Buffer;
}

/**
 * Sends the daily TLS reports to the domains that request them (RFC 8460). Reports on a day are spread over the hours
 * after its end (UTC). Any number of delivery programs may run this; each report is sent by one of them.
 */
@Injectable()
export class TlsReporter {
  private readonly dns: StubResolver;
  private readonly submitter: string;

  constructor(
    private readonly database: Database,
    private readonly mail: SystemMail,
    private readonly fetch: SafeFetch,
    config: Config,
    private readonly log: Log,
  ) {
    this.submitter = config.settings.SERVICE_DOMAIN;
    this.dns = new StubResolver({ servers: config.settings.DNS_SERVERS, timeoutMs: DNS_MS });
  }

  /** Sends the reports that are due; returns how many were due. */
  async round(): Promise<number> {
    const due = await this.claim();
    for (const one of due) await this.reportOne(one);
    return due.length;
  }

  /** The report on one domain and day as counted so far; null if there was no session. */
  preview(domain: string, day: string): Promise<TlsReport | null> {
    return tlsReportOf(this.database, { domain, day, submitter: this.submitter });
  }

  /** Deletes expired results and reports. */
  async prune(): Promise<void> {
    const expired = `day < (now() AT TIME ZONE 'UTC')::date - ${KEPT_DAYS}`;
    await this.database.query(`DELETE FROM tls_results WHERE ${expired}`);
    await this.database.query(`DELETE FROM tls_reports WHERE ${expired}`);
  }

  /** Claims domains of past days without a report, each at its own time, and those whose report failed an hour ago. */
  private async claim(): Promise<DueReport[]> {
    const { rows } = await this.database.query<DueReport>(
      `WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day, extract(epoch FROM now() AT TIME ZONE 'UTC')::bigint % 86400 AS second),
            due AS (
              SELECT DISTINCT r.day, r.policy_domain FROM tls_results r, today
               WHERE r.day >= today.day - 2 AND r.day < today.day
                 AND (r.day < today.day - 1 OR today.second >= abs(hashtext(r.policy_domain)::bigint) % $2)
                 AND NOT EXISTS (
                   SELECT FROM tls_reports t WHERE t.day = r.day AND t.policy_domain = r.policy_domain
                      AND (t.state IN ('sent', 'not_requested') OR t.attempted_at > now() - interval '1 hour' OR t.attempts >= $3))
               LIMIT $1)
       INSERT INTO tls_reports AS t (day, policy_domain, state) SELECT day, policy_domain, 'claimed' FROM due
       ON CONFLICT (day, policy_domain) DO UPDATE SET state = 'claimed', attempts = t.attempts + 1, attempted_at = now()
         WHERE t.attempted_at < now() - interval '1 hour' AND t.state IN ('claimed', 'failed')
       RETURNING to_char(day, 'YYYY-MM-DD') AS day, policy_domain AS domain`,
      [REPORTS_PER_ROUND, SPREAD_S, MAX_ATTEMPTS],
    );
    return rows;
  }

  private async reportOne(due: DueReport): Promise<void> {
    try {
      const addresses = reportAddresses(await this.dns.txtOrNone(`_smtp._tls.${due.domain}`));
      if (addresses.length === 0) return await this.recordState(due, 'not_requested', null);
      const content = await this.preview(due.domain, due.day);
      const report = { ...due, gzipped: await compress(JSON.stringify(content)) };
      const failures: string[] = [];
      for (const address of addresses) {
        const failure = await this.submit(report, address);
        if (failure !== null) failures.push(`${address.url.protocol}//${address.url.hostname || 'mail'}: ${failure}`);
      }
      // One successful address suffices: a repeated report would be counted twice there.
      if (failures.length < addresses.length) await this.recordState(due, 'sent', failures.join('; ') || null);
      else await this.recordState(due, 'failed', failures.join('; '));
    } catch (error) {
      this.log.warn('a TLS report failed', { domain: due.domain, reason: (error as Error).message });
      await this.recordState(due, 'failed', (error as Error).message);
    }
  }

  /** Returns null on success, otherwise the reason for the failure. */
  private async submit(content: CompressedReport, { url, mailbox }: ReportAddress): Promise<string | null> {
    return mailbox === null ? this.post(content, url) : this.send(content, mailbox);
  }

  private async post({ gzipped }: CompressedReport, url: URL): Promise<string | null> {
    const response = await this.fetch.post(
      url.href,
      { type: 'application/tlsrpt+gzip', body: gzipped },
      { budget: { bytes: RESPONSE_BYTES }, timeoutMs: POST_MS },
    );
    return response.kind === 'failed' ? response.failure : null;
  }

  private async send({ day, domain, gzipped }: CompressedReport, to: string): Promise<string | null> {
    const from = this.mail.sender;
    const at = new Date();
    const { submitter } = this;
    const { subject, messageId, message } = composeTlsReport({ domain, day, submitter, from, to, gzipped, at });
    try {
      await this.mail.send({
        kind: 'tls_report',
        to,
        subject,
        messageId,
        message,
        key: `tls-report ${day} ${domain} ${to}`,
      });
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  private async recordState(
    { day, domain }: DueReport,
    state: 'sent' | 'not_requested' | 'failed',
    detail: string | null,
  ) {
    await this.database.query('UPDATE tls_reports SET state = $3, detail = $4 WHERE day = $1 AND policy_domain = $2', [
      day,
      domain,
      state,
      detail?.slice(0, 500) ?? null,
    ]);
  }
}

/** RFC 8460 §4.1: reports are sent at random times after midnight, so that no receiver gets all of them at once. */
const SPREAD_S = 4 * 3600;
