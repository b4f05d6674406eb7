/** The rows of a table that one account owns, as a condition on alias `t`; `$1` is the id of the account. */
interface OwnedRows {
  where: string;
  /** Columns that are secrets, or mean nothing outside of this installation. */
  without?: readonly string[];
}

const OF_ACCOUNT = 't.account_id = $1';
const ofEmail = (column = 'email_id') => `t.${column} IN (SELECT id FROM emails WHERE account_id = $1)`;
const OF_DOMAIN = 't.domain_id IN (SELECT id FROM domains WHERE account_id = $1)';
const OF_WEBHOOK = 't.webhook_id IN (SELECT id FROM webhooks WHERE account_id = $1)';

/** What belongs to an account, in the order of an export. Contents and events are read in another way. */
export const ACCOUNT_TABLES: Readonly<Record<string, OwnedRows>> = {
  accounts: { where: 't.id = $1' },
  users: { where: 't.id IN (SELECT user_id FROM memberships WHERE account_id = $1)', without: ['password_hash'] },
  memberships: { where: OF_ACCOUNT },
  invitations: { where: OF_ACCOUNT, without: ['token_hash'] },
  api_keys: { where: OF_ACCOUNT, without: ['fingerprint'] },
  allowances: { where: OF_ACCOUNT },
  sending_outcomes: { where: OF_ACCOUNT },
  domains: { where: OF_ACCOUNT },
  domain_keys: { where: OF_DOMAIN, without: ['private_sealed'] },
  suppressions: { where: OF_ACCOUNT },
  suppression_domains: { where: OF_ACCOUNT },
  emails: { where: OF_ACCOUNT },
  recipients: { where: OF_ACCOUNT },
  recipient_visits: { where: ofEmail() },
  attempts: { where: ofEmail() },
  captured_messages: { where: OF_ACCOUNT },
  full_mailboxes: { where: OF_ACCOUNT },
  held_recipients: { where: ofEmail() },
  inbound_messages: { where: ofEmail() },
  idempotency_keys: { where: `t.scope ^@ ($1 || ':')`, without: ['body_hash'] },
  webhooks: { where: OF_ACCOUNT, without: ['secret_sealed', 'previous_secret_sealed'] },
  webhook_deliveries: { where: OF_ACCOUNT },
  webhook_attempts: { where: OF_WEBHOOK },
  webhook_hours: { where: OF_WEBHOOK },
  webhook_replays: { where: OF_ACCOUNT, without: ['body_hash'] },
  notices: { where: OF_ACCOUNT },
  erasures: { where: OF_ACCOUNT, without: ['sealed'] },
  audit_log: { where: OF_ACCOUNT },
  request_log: { where: OF_ACCOUNT },
};

const PROCESSES = 'State of running programs.';
const SERVICE = 'Of the service as a whole.';
const COPY = 'The same data as in other tables.';
const LOGIN = 'Of a person, who may be a member of several accounts; secrets.';

/** Tables of which an export has no rows, each with its reason. A new table stands here or in `ACCOUNT_TABLES`. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  email_contents: 'Read from where the contents are.',
  event_log: 'Read event by event.',
  outbox: 'Events that are in the log within a second.',
  event_log_accounts: COPY,
  email_tags: COPY,
  search_segments: COPY,
  parked_events: COPY,
  domain_retention: PROCESSES,
  content_erasures: PROCESSES,
  rate_buckets: PROCESSES,
  webhook_windows: PROCESSES,
  workers: PROCESSES,
  leases: PROCESSES,
  consumer_positions: PROCESSES,
  consumer_shards: PROCESSES,
  relay_positions: PROCESSES,
  sink_batches: PROCESSES,
  journal_series: PROCESSES,
  event_log_head: SERVICE,
  acme_accounts: SERVICE,
  acme_challenges: SERVICE,
  certificates: SERVICE,
  clock_state: SERVICE,
  clock_steps: SERVICE,
  doctor_runs: SERVICE,
  installation: SERVICE,
  retired_master_keys: SERVICE,
  size_samples: SERVICE,
  statistics_days: SERVICE,
  statistics_parts: SERVICE,
  sts_policies: SERVICE,
  throttling_states: SERVICE,
  tls_reports: SERVICE,
  tls_results: SERVICE,
  warmup_counts: SERVICE,
  invitation_messages: 'Hashes, for a limit.',
  sessions: LOGIN,
  user_identities: LOGIN,
  user_links: LOGIN,
};
