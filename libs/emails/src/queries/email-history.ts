import { Injectable } from '@nestjs/common';
import { KeyHistory } from '#libs/bus';
import { toPage, type Page, type PageRequest, type Visibility } from '#libs/contracts';
import type { TlsPolicyName } from '#libs/mta';
import { Database } from '#libs/persistence';
import { EmailQueries } from './email-queries.js';
import type { AttemptView, EarlierHostView, EventView } from '../email-history.resource.js';
import { smtpOf, type SmtpRow } from './recipient-row.js';

interface AttemptRow extends SmtpRow {
  id: string;
  address: string;
  number: number;
  outcome: 'delivered' | 'bounced' | 'answered' | 'not_sent' | 'unknown_outcome';
  phase: string | null;
  cipher: string | null;
  verified: boolean | null;
  policy: TlsPolicyName | null;
  source: string | null;
  provider: string | null;
  earlier: EarlierHostView[] | null;
  started_at: Date;
  ended_at: Date;
}

/** Events and attempts of one email. Null if the account has no such email. */
@Injectable()
export class EmailHistory {
  constructor(
    private readonly emails: EmailQueries,
    private readonly history: KeyHistory,
    private readonly database: Database,
  ) {}

  /** Oldest first, as in the event log; `after` an event there are newer ones. */
  async events(visibility: Visibility, emailId: string, request: PageRequest): Promise<Page<EventView> | null> {
    if ((await this.emails.summary(visibility, emailId)) === null) return null;
    return (await this.eventsOf(visibility, [emailId], request)).get(emailId) ?? null;
  }

  /** One page per email, by id. The caller has checked that the emails are visible. */
  async eventsOf(
    { accountId }: Visibility,
    emailIds: readonly string[],
    request: PageRequest,
  ): Promise<Map<string, Page<EventView>>> {
    const events = await this.history.readAll({ accountId, keys: emailIds }, request);
    return new Map(
      emailIds.map((id) => [
        id,
        toPage(request, events.get(id) ?? [], {
          id: ({ event }) => event.id,
          present: ({ event: { id: eventId, type, created_at, data } }) => ({ id: eventId, type, created_at, data }),
        }),
      ]),
    );
  }

  /** Newest first. */
  async attempts(visibility: Visibility, emailId: string, request: PageRequest): Promise<Page<AttemptView> | null> {
    if ((await this.emails.summary(visibility, emailId)) === null) return null;
    return (await this.attemptsOf([emailId], request)).get(emailId) ?? null;
  }

  /** One page per email, by id. The caller has checked that the emails are visible. */
  async attemptsOf(emailIds: readonly string[], request: PageRequest): Promise<Map<string, Page<AttemptView>>> {
    const { before, after, limit } = request;
    const [compared, order] = before === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
    const { rows } = await this.database.query<AttemptRow & { email_id: string }>(
      `SELECT found.* FROM unnest($1::text[]) AS named (id) CROSS JOIN LATERAL (
         SELECT a.email_id, a.id, r.address, a.number, a.outcome, a.phase, a.started_at, a.ended_at,
                a.smtp_code, a.smtp_enhanced, a.smtp_text, a.mx, a.ip, a.tls, a.cipher, a.verified, a.policy, a.source,
                a.provider, a.earlier
           FROM attempts a JOIN recipients r ON r.email_id = a.email_id AND r.ordinal = a.ordinal
          WHERE a.email_id = named.id AND ($2::text IS NULL OR a.id ${compared} $2) ORDER BY a.id ${order} LIMIT $3) AS found
       ORDER BY found.id ${order}`,
      [emailIds, before ?? after ?? null, limit + 1],
    );
    const byEmail = new Map<string, AttemptRow[]>(emailIds.map((id) => [id, []]));
    for (const { email_id, ...row } of rows) byEmail.get(email_id)?.push(row);
    return new Map(
      [...byEmail].map(([id, attempts]) => [
        id,
        toPage(request, attempts, { id: (row) => row.id, present: toAttemptView }),
      ]),
    );
  }
}

const toAttemptView = (row: AttemptRow): AttemptView => ({
  id: row.id,
  object: 'attempt',
  recipient: row.address,
  number: row.number,
  ...outcomeOf(row.outcome),
  phase: row.phase,
  smtp: smtpOf(row),
  earlier: row.earlier ?? [],
  security: securityOf(row),
  tls_policy: row.policy,
  source_ip: row.source,
  provider: row.provider,
  started_at: row.started_at.toISOString(),
  ended_at: row.ended_at.toISOString(),
});

/** `attempts.outcome` of a deferred attempt is its certainty. */
function outcomeOf(stored: AttemptRow['outcome']): Pick<AttemptView, 'outcome' | 'certainty'> {
  switch (stored) {
    case 'delivered':
    case 'bounced':
      return { outcome: stored, certainty: null };
    case 'answered':
    case 'not_sent':
    case 'unknown_outcome':
      return { outcome: 'deferred', certainty: stored };
  }
}

const securityOf = ({ tls, cipher, verified, policy }: AttemptRow): AttemptView['security'] =>
  tls === null || policy === null ? null : { version: tls, cipher, verified: verified === true, policy };
