import { Resolver } from 'node:dns/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Config, Log, patientQuestion, SafeFetch } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { OperatorMail } from '../notices/operator-mail.js';
import { reportAddresses, type ReportAddress } from './report-addresses.js';
import { tlsReportMail } from './tls-report-mail.js';
import type { TlsReport } from './tls-report.js';
import { tlsReportOf } from './tls-report-of.js';

const compress = promisify(gzip);

/** How many reports one round makes; the next one goes on. */
const ROUND = 50;
const DNS_MS = 2_000;
const POST_MS = 15_000;
const ANSWER_BYTES = 64 * 1024;
/** Results and reports are kept for so many days. */
const KEPT_DAYS = 14;
/** A report that could not be handed over is tried again, RFC 8460 §5.5: for a day. */
const MOST_TRIES = 24;

interface Due {
  day: string;
  domain: string;
}
interface Parcel extends Due {
  gzipped: Buffer;
}

/**
 * The daily reports about TLS to the domains that asked for them (RFC 8460). A day is reported once it is over in UTC,
 * spread over the hours after it; whichever delivery program comes first makes a report, and exactly one does.
 */
@Injectable()
export class TlsReporter {
  private readonly resolver = new Resolver({ timeout: DNS_MS, tries: 2 });
  private readonly submitter: string;

  constructor(
    private readonly database: Database,
    private readonly mail: OperatorMail,
    private readonly fetch: SafeFetch,
    config: Config,
    private readonly log: Log,
  ) {
    this.submitter = config.settings.SERVICE_DOMAIN;
    if (config.settings.DNS_SERVERS) this.resolver.setServers(config.settings.DNS_SERVERS);
  }

  /** Makes the reports that are due; how many were looked at. */
  async round(): Promise<number> {
    const due = await this.claim();
    for (const one of due) await this.reportOne(one);
    return due.length;
  }

  /** The report about one domain and day as far as it is counted; null when there was no session. */
  preview(domain: string, day: string): Promise<TlsReport | null> {
    return tlsReportOf(this.database, { domain, day, submitter: this.submitter });
  }

  /** Removes what is over its time. */
  async prune(): Promise<void> {
    for (const table of ['tls_results', 'tls_reports'])
      await this.database.query(`DELETE FROM ${table} WHERE day < (now() AT TIME ZONE 'UTC')::date - ${KEPT_DAYS}`);
  }

  /** Domains of ended days without a report, each at an hour of its own; and those whose report failed an hour ago. */
  private async claim(): Promise<Due[]> {
    const { rows } = await this.database.query<Due>(
      `WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day, extract(epoch FROM now() AT TIME ZONE 'UTC')::bigint % 86400 AS second),
            due AS (
              SELECT DISTINCT r.day, r.policy_domain FROM tls_results r, today
               WHERE r.day >= today.day - 2 AND r.day < today.day
                 AND (r.day < today.day - 1 OR today.second >= abs(hashtext(r.policy_domain)::bigint) % $2)
                 AND NOT EXISTS (
                   SELECT FROM tls_reports t WHERE t.day = r.day AND t.policy_domain = r.policy_domain
                      AND (t.state IN ('sent', 'unwanted') OR t.tried_at > now() - interval '1 hour' OR t.tries >= $3))
               LIMIT $1)
       INSERT INTO tls_reports AS t (day, policy_domain, state) SELECT day, policy_domain, 'claimed' FROM due
       ON CONFLICT (day, policy_domain) DO UPDATE SET state = 'claimed', tries = t.tries + 1, tried_at = now()
         WHERE t.tried_at < now() - interval '1 hour' AND t.state IN ('claimed', 'failed')
       RETURNING to_char(day, 'YYYY-MM-DD') AS day, policy_domain AS domain`,
      [ROUND, SPREAD_S, MOST_TRIES],
    );
    return rows;
  }

  private async reportOne(due: Due): Promise<void> {
    try {
      const addresses = reportAddresses(await this.texts(`_smtp._tls.${due.domain}`));
      if (addresses.length === 0) return await this.close(due, 'unwanted', null);
      const report = await this.preview(due.domain, due.day);
      const parcel = { ...due, gzipped: await compress(JSON.stringify(report)) };
      const failures: string[] = [];
      for (const address of addresses) {
        const failure = await this.hand(parcel, address);
        if (failure !== null) failures.push(`${address.url.protocol}//${address.url.hostname || 'mail'}: ${failure}`);
      }
      // One place that has it is enough: a repetition would count there twice.
      if (failures.length < addresses.length) await this.close(due, 'sent', failures.join('; ') || null);
      else await this.close(due, 'failed', failures.join('; '));
    } catch (error) {
      this.log.warn('a TLS report could not be made', { domain: due.domain, reason: (error as Error).message });
      await this.close(due, 'failed', (error as Error).message);
    }
  }

  /** Null when it was taken. */
  private async hand(parcel: Parcel, { url, mailbox }: ReportAddress): Promise<string | null> {
    return mailbox === null ? this.post(parcel, url) : this.send(parcel, mailbox);
  }

  private async post({ gzipped }: Parcel, url: URL): Promise<string | null> {
    const answer = await this.fetch.post(
      url.href,
      { type: 'application/tlsrpt+gzip', body: gzipped },
      { budget: { bytes: ANSWER_BYTES }, timeoutMs: POST_MS },
    );
    return answer.kind === 'failed' ? answer.failure : null;
  }

  private async send({ day, domain, gzipped }: Parcel, to: string): Promise<string | null> {
    const from = this.mail.sender;
    const at = new Date();
    const { submitter } = this;
    const { subject, messageId, message } = tlsReportMail({ domain, day, submitter, from, to, gzipped, at });
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

  private async texts(name: string): Promise<string[]> {
    try {
      return (await patientQuestion(2 * DNS_MS, () => this.resolver.resolveTxt(name))).map((strings) =>
        strings.join(''),
      );
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
      throw error;
    }
  }

  private async close({ day, domain }: Due, state: 'sent' | 'unwanted' | 'failed', detail: string | null) {
    await this.database.query('UPDATE tls_reports SET state = $3, detail = $4 WHERE day = $1 AND policy_domain = $2', [
      day,
      domain,
      state,
      detail?.slice(0, 500) ?? null,
    ]);
  }
}

/** RFC 8460 §4.1: at a random time after midnight, so that nobody gets all reports at once. */
const SPREAD_S = 4 * 3600;
