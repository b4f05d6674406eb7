// Generated from the *.graphql files of the dashboard by tools/generate.mjs. Do not edit.
import type { TypedDocumentNode } from '@urql/core';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** The decision about the source pool of an account: by the limits (`auto`), or by the operator. */
export type AccountPoolChoice =
  | 'auto'
  | 'default'
  | 'penalty';

/** Status that the operator gave an account. */
export type AccountStanding =
  | 'active'
  | 'blocked'
  | 'overdue';

/** Whether an account may send. */
export type AccountStatus =
  | 'active'
  | 'blocked'
  | 'overdue'
  | 'paused';

/** Addresses to suppress: either `emails` or `entries`. */
export type AddSuppressionsInput = {
  /** 1 to 100 addresses. Required unless `entries` is given */
  emails?: Array<string> | null | undefined;
  /** Instead of `emails`: 1 to 100 entries with their options */
  entries?: Array<SuppressionInput> | null | undefined;
};

/** The part of the dashboard where an advice is acted on. */
export type AdvicePage =
  | 'dkim'
  | 'records'
  | 'settings'
  | 'statistics';

/** How urgent an advice is. */
export type AdviceSeverity =
  | 'critical'
  | 'info'
  | 'warning';

/** The unit of the monthly allowance. */
export type AllowanceUnit =
  | 'message'
  | 'recipient';

/** An attachment of an email. */
export type AttachmentInput = {
  /** The file in base64 (RFC 4648 section 4). Give either `content` or `path` */
  content?: string | null | undefined;
  /** Makes the file inline: the HTML body refers to it as `cid:` and this id. Unique within the email */
  contentId?: string | null | undefined;
  /** One of the ten allowed types: PDF, PNG, JPEG, GIF, WebP, TXT, CSV, XLSX, DOCX, ZIP, under any of its common names. Inferred if absent or `application/octet-stream`. Parameters are dropped, except the charset of text */
  contentType?: string | null | undefined;
  /** File name shown to the recipient, with its extension, without a path; at most 255 bytes */
  filename: string;
  /** Instead of `content`: an https URL. The file is fetched before the request is answered, within five seconds */
  path?: string | null | undefined;
};

/** The outcome of a delivery attempt. */
export type AttemptOutcome =
  | 'bounced'
  | 'deferred'
  | 'delivered';

/** The TLS policy of a delivery attempt. */
export type AttemptTlsPolicy =
  | 'dane'
  | 'enforced'
  | 'opportunistic'
  | 'sts'
  | 'sts_testing';

/** Selects actions. An action must match all given fields. */
export type AuditLogFilter = {
  /** Only this action, such as `suppression.removed`, or all actions of a kind, such as `suppression` */
  action?: string | null | undefined;
  /** Only actions of this API key or user */
  actor?: string | null | undefined;
  /** Only actions at or after this time */
  createdAfter?: string | null | undefined;
  /** Only actions before this time */
  createdBefore?: string | null | undefined;
  /** Only actions that changed the object with this id */
  target?: string | null | undefined;
};

/** Selects captured messages. A message must match all given fields. */
export type CapturedEmailFilter = {
  /** Only messages of this email */
  emailId?: string | null | undefined;
  /** Only messages with this text in the subject, in an address or its name or in the value of a tag, ignoring case */
  search?: string | null | undefined;
  /** Only messages to this address */
  to?: string | null | undefined;
};

/** The verdict of a check. */
export type CheckStatus =
  | 'error'
  | 'ok'
  | 'skipped'
  | 'warning';

/** A new account. */
export type CreateAccountInput = {
  /** Its name. */
  name: string;
  /** The address of its first owner, who is invited by email. */
  ownerEmail?: string | null | undefined;
  /** `free` (the default), `unlimited` or a number of units per month. */
  plan?: string | null | undefined;
};

/** An API key to create. */
export type CreateApiKeyInput = {
  /** IPv4 and IPv6 addresses, or networks in CIDR notation, from which the key may be used over HTTP and SMTP. Null: from everywhere */
  allowedIps?: Array<string> | null | undefined;
  /** The only domains that the key, and keys created with it, may send from, and whose data they see. Null: the whole account */
  domainIds?: Array<string> | null | undefined;
  /** When the key expires: with an offset, in the future. Null: never */
  expiresAt?: string | null | undefined;
  /** Emails of a test key are checked and recorded like all others but never delivered. It sees and changes test data only */
  mode?: Mode | null | undefined;
  /** A name that tells the key from others */
  name: string;
  /** `full_access` has every scope, `sending_access` only `emails.send`. Cannot be combined with `scopes` */
  permission?: Permission | null | undefined;
  /** The scopes of the key. Cannot be combined with `permission` */
  scopes?: Array<string> | null | undefined;
};

/** A sending domain to add. */
export type CreateDomainInput = {
  /** The part of sender addresses after the @; each subdomain must be added on its own. Stored in lower case, internationalised names as A-labels (`xn--…`). Public suffixes (`co.uk`, `github.io`), IP addresses, single labels and the names of the service itself are refused */
  name: string;
};

/** A webhook to create. */
export type CreateWebhookInput = {
  /** Only events of these domains of the account, without events that belong to no domain. Null: all events */
  domainIds?: Array<string> | null | undefined;
  /** Event types to receive, or `["*"]` for all. Types: `email.queued`, `email.scheduled`, `email.sent`, `email.delivered`, `email.bounced`, `email.failed`, `email.opened`, `email.clicked`, `email.complained`, `email.suppressed`, `email.canceled`, `email.unsubscribed`, `email.delivery_delayed`, `domain.created`, `domain.updated`, `domain.deleted`, `suppression.added`, `suppression.removed`, `webhook.test`, `webhook.disabled`, `account.allowance_warning`, `account.paused`, `account.resumed`, `account.pool_changed`. `email.delivery_delayed` is another name for a temporary `email.failed`, for webhooks that list it */
  events: Array<string>;
  /** Whether to receive opens and clicks of bots (`is_bot: true`), such as link scanners and image proxies */
  includeBots?: boolean | null | undefined;
  /** The https URL to call: a public address, without user name, fragment, or the port of another service */
  url: string;
};

/** The progress of a key rotation. */
export type DkimRotationStatus =
  | 'pending'
  | 'switched'
  | 'verified';

/** How far a run of the doctor is. An interrupted one ended with its process. */
export type DoctorState =
  | 'finished'
  | 'interrupted'
  | 'running';

/** The status of a DNS record. */
export type DomainRecordStatus =
  | 'failed'
  | 'pending'
  | 'verified'
  | 'vouched';

/** The status of a sending domain. */
export type DomainStatus =
  | 'active'
  | 'failed'
  | 'pending';

/** Selects emails. An email must match all given fields. */
export type EmailFilter = {
  /** Only emails accepted at or after this time */
  createdAfter?: string | null | undefined;
  /** Only emails accepted before this time */
  createdBefore?: string | null | undefined;
  /** Only emails of this sending domain: its name, or its id. The id also finds emails of a removed domain */
  domain?: string | null | undefined;
  /** Only emails from this address */
  from?: string | null | undefined;
  /** Only emails whose latest event is this one */
  lastEvent?: LastEvent | null | undefined;
  /** Only emails with a recipient at exactly this domain, in To, Cc or Bcc */
  recipientDomain?: string | null | undefined;
  /** Only emails that were accepted with `scheduledAt`, sent or not */
  scheduled?: boolean | null | undefined;
  /** Only emails with this text in the subject, in an address or its name (From, To, Cc, Bcc) or in the value of a tag, ignoring case. A page may then have fewer entries than `limit`, or none, although `hasMore` is true: `nextCursor` continues the search */
  search?: string | null | undefined;
  /** Only emails with this status */
  status?: EmailStatus | null | undefined;
  /** Only emails whose subject starts with this text, ignoring case */
  subject?: string | null | undefined;
  /** Only emails with these tags, up to ten */
  tags?: Array<TagInput> | null | undefined;
  /** Only emails to this address, in To, Cc or Bcc */
  to?: string | null | undefined;
  /** Only emails with a recipient that has no final outcome yet; with `recipientDomain`, with such a recipient at that domain */
  waiting?: boolean | null | undefined;
};

/** Which emails of an account go first. */
export type EmailPriority =
  | 'bulk'
  | 'transactional';

/** The status of an email, or of one recipient. */
export type EmailStatus =
  | 'bounced'
  | 'canceled'
  | 'complained'
  | 'deferred'
  | 'delivered'
  | 'failed'
  | 'queued'
  | 'scheduled'
  | 'sending'
  | 'suppressed';

/** How recipients share SMTP transactions and return paths. */
export type EnvelopePolicy =
  | 'per_recipient'
  | 'shared';

/** A header field of an email. */
export type HeaderInput = {
  /** The name */
  name: string;
  /** The value */
  value: string;
};

/** The kind of a limit that holds a recipient back. */
export type HeldKind =
  | 'concurrency'
  | 'dns'
  | 'rate'
  | 'slow_down'
  | 'suspended'
  | 'warm_up';

/** The latest event of an email. */
export type LastEvent =
  | 'bounced'
  | 'canceled'
  | 'clicked'
  | 'complained'
  | 'delivered'
  | 'delivery_delayed'
  | 'failed'
  | 'opened'
  | 'queued'
  | 'scheduled'
  | 'sent'
  | 'suppressed';

/** The header field List-Unsubscribe of an email, covered by its DKIM signature. */
export type ListUnsubscribeInput = {
  /** An address or a mailto: URI */
  mailto?: string | null | undefined;
  /** Announces one-click unsubscription (RFC 8058). The mail client sends a POST to `url`, or, if `url` is absent, to a link of this service that adds the recipient to the suppression list of the sending domain */
  oneClick?: boolean | null | undefined;
  /** An https URL of your own */
  url?: string | null | undefined;
};

/** Whether emails are delivered, or only recorded. */
export type Mode =
  | 'live'
  | 'test';

/** Why the sending of an account is paused. */
export type PauseReason =
  | 'bounces'
  | 'complaints';

/** A set of scopes. */
export type Permission =
  | 'full_access'
  | 'sending_access';

/** The field of an email that names a recipient. */
export type RecipientType =
  | 'bcc'
  | 'cc'
  | 'to';

/** Addresses to remove from the suppression list: either `emails` or `ids`. */
export type RemoveSuppressionsInput = {
  /** Removes `emails` from the list of this sending domain; null: from that of the whole account */
  domainId?: string | null | undefined;
  /** 1 to 100 addresses. Required unless `ids` is given */
  emails?: Array<string> | null | undefined;
  /** Whether to remove complaints as well */
  force?: boolean | null | undefined;
  /** Instead of `emails`: 1 to 100 ids of entries */
  ids?: Array<string> | null | undefined;
};

/** The events to send again. */
export type ReplayWebhookInput = {
  /** The `nextCursor` of the previous call, to continue after its last event */
  after?: string | null | undefined;
  /** Start of the range */
  from: string;
  /** Only events with this status */
  status?: WebhookDeliveryStatus | null | undefined;
  /** End of the range, exclusive; now if absent */
  to?: string | null | undefined;
  /** Only these event types, or `["*"]`; all if absent */
  types?: Array<string> | null | undefined;
};

/** Selects requests. A request must match all given fields. */
export type RequestLogFilter = {
  /** Only requests with this API key */
  apiKeyId?: string | null | undefined;
  /** Only requests answered at or after this time */
  createdAfter?: string | null | undefined;
  /** Only requests answered before this time */
  createdBefore?: string | null | undefined;
  /** Only requests whose endpoint begins with this text */
  endpoint?: string | null | undefined;
  /** Only requests with this HTTP method */
  method?: string | null | undefined;
  /** Only requests with this response status, or with this class of statuses, such as `4xx` */
  status?: string | null | undefined;
};

/** The new time of a scheduled email. */
export type RescheduleEmailInput = {
  /** The new time, at most 72 hours from now and 30 days after the email was accepted. A time up to 60 seconds in the past means now */
  scheduledAt: string;
};

/** How to rotate the signing secret of a webhook. */
export type RotateWebhookSecretInput = {
  /** Number of hours during which calls are signed with both the old and the new secret */
  overlapHours?: number | null | undefined;
};

/** An email to send. */
export type SendEmailInput = {
  /** At most 10 files. The whole email may have at most 10 MiB */
  attachments?: Array<AttachmentInput> | null | undefined;
  /** Bcc recipients, at most 50 */
  bcc?: Array<string> | null | undefined;
  /** Cc recipients, at most 50 */
  cc?: Array<string> | null | undefined;
  /** Seconds after which delivery is abandoned, 300 to 432000; 72 hours if absent */
  expiresIn?: number | null | undefined;
  /** Sender, as `address` or `Name <address>`. Its domain must be active in this account */
  from: string;
  /** Additional header fields: at most 50, each at most 2 KiB, or 32 KiB for structured ones such as `References`. Header fields that the service sets itself are refused */
  headers?: Array<HeaderInput> | null | undefined;
  /** HTML body. At least one of html and text is required */
  html?: string | null | undefined;
  /** Sets List-Unsubscribe and, with `oneClick`, List-Unsubscribe-Post. `{oneClick: true}` alone: a link of this service */
  listUnsubscribe?: ListUnsubscribeInput | null | undefined;
  /** `bulk` yields to the transactional emails of this account at the same destination, and takes one place in ten while these wait. Other accounts are not affected */
  priority?: EmailPriority | null | undefined;
  /** Reply-To addresses, at most 50 */
  replyTo?: Array<string> | null | undefined;
  /** Treats this email like one of a test key: it is never delivered */
  sandbox?: boolean | null | undefined;
  /** The simulated outcome of a test email: delivered, bounced, softbounced, deferred, failed, complained, suppressed, opened, clicked, ooto or slow+N (N seconds) */
  sandboxResult?: string | null | undefined;
  /** When to send: ISO 8601 with an offset, at most 72 hours ahead. A time up to 60 seconds in the past means now */
  scheduledAt?: string | null | undefined;
  /** Subject line, 1 to 998 characters, no line breaks */
  subject: string;
  /** How to handle suppressed recipients: `reject` refuses the email, `skip` sends it to the others */
  suppressionPolicy?: SuppressionPolicy | null | undefined;
  /** Your own metadata, usable as a filter: at most 50 pairs, keys of `[A-Za-z0-9_.-]`, values of at most 50 characters */
  tags?: Array<TagInput> | null | undefined;
  /** Plain-text body, shown by mail clients that do not show HTML */
  text?: string | null | undefined;
  /** 1 to 50 recipients. Duplicates across to, cc and bcc are merged */
  to: Array<string>;
  /** Whether opens and clicks of this email are tracked; a missing member means the setting of the domain. Needs the verified `Tracking` record of the domain */
  tracking?: TrackingInput | null | undefined;
};

/** The subject of a problem. `delivery_blocked`: a block list has our address; `late`: mail is due and not delivered. */
export type ServiceProblemKind =
  | 'certificate'
  | 'delivery_blocked'
  | 'disk'
  | 'event_log'
  | 'late'
  | 'part'
  | 'program'
  | 'retention'
  | 'statistics'
  | 'throttled';

/** The state of the service. `critical`: mail is not accepted, delivered or counted, or soon will not be. */
export type ServiceState =
  | 'critical'
  | 'ok'
  | 'warning';

/** How far the warm-up of an address is. */
export type SourceState =
  | 'not_started'
  | 'warm'
  | 'warming_up';

/** The length of a period of statistics. */
export type StatsGranularity =
  | 'day'
  | 'hour'
  | 'minute'
  | 'month'
  | 'week';

/** The range, the metrics and the groups of statistics. */
export type StatsInput = {
  /** Adds the same figures for the range of the same length directly before */
  compare?: string | null | undefined;
  /** The dimensions to group by: period, domain, email. Only totals if absent */
  dimensions?: Array<string> | null | undefined;
  /** Only these domains, at most 100 */
  domainId?: Array<string> | null | undefined;
  /** Only these emails, at most 100 */
  emailId?: Array<string> | null | undefined;
  /** End: a date (inclusive) or a timestamp with an offset (exclusive). Limited to the current time, which is the default */
  endDate?: string | null | undefined;
  /** The same as `startDate` */
  from?: string | null | undefined;
  /** Length of a period; without `dimensions` it implies `dimensions=period`. Weeks begin on Monday */
  granularity?: StatsGranularity | null | undefined;
  /** Further groups: provider, ip, host, bounce_class, api_key, and `tags.` with a key. provider: the mailbox provider, or the domain; ip and host: the server that answered; bounce_class: the reason of the bounce; api_key: the key that submitted the email */
  groupBy?: Array<string> | null | undefined;
  /** The metrics: accepted, sent, delivered, delivery_delayed, bounced, bounced_permanent, bounced_transient, bounced_undetermined, failed, complained, suppressed, canceled, unsubscribed, opened, clicked, unique_opened, unique_clicked, settled, simulated, delivery_rate, bounce_rate, complaint_rate, unsubscribe_rate, open_rate, click_rate, delivered_of_settled, bounced_of_settled, complained_of_settled, opened_of_settled, clicked_of_settled. All if absent */
  metrics?: Array<string> | null | undefined;
  /** Percentiles of the delivery time: p50, p95, p99 */
  percentiles?: Array<string> | null | undefined;
  /** Start: a date (its beginning in `timezone`) or a timestamp with an offset. If absent, the beginning of the day six days before the end, which makes seven days */
  startDate?: string | null | undefined;
  /** Time zone in which days, weeks and months begin */
  timezone?: string | null | undefined;
  /** The same as `endDate` */
  to?: string | null | undefined;
};

/** Selects suppressions. An entry must match all given fields. */
export type SuppressionFilter = {
  /** Only entries of this sending domain, without those of the whole account */
  domainId?: string | null | undefined;
  /** Whether to include expired entries */
  expired?: boolean | null | undefined;
  /** Only entries of this origin */
  origin?: SuppressionOrigin | null | undefined;
  /** The beginning of the address, or `@` and a domain for all addresses of exactly this domain */
  q?: string | null | undefined;
  /** Only entries with this text in the address or in the reason, ignoring case. A page may then have fewer entries than `limit`, or none, although `hasMore` is true: `nextCursor` continues the search */
  search?: string | null | undefined;
};

/** An address to suppress. */
export type SuppressionInput = {
  /** A domain of this account: only emails from this domain are affected. Null: all emails of the account */
  domainId?: string | null | undefined;
  /** One address, without a display name. Compared without surrounding spaces, in lower case, internationalised domain names as A-labels (`xn--…`); `user+label@…` and `user@…` are different addresses */
  email: string;
  /** When the entry expires: ISO 8601 with an offset, in the future. Null: never */
  expiresAt?: string | null | undefined;
  /** A note in one line, up to 500 characters */
  reason?: string | null | undefined;
};

/** Why an address is suppressed. */
export type SuppressionOrigin =
  | 'bounce'
  | 'complaint'
  | 'manual'
  | 'unsubscribe';

/** How to handle suppressed recipients of an email. */
export type SuppressionPolicy =
  | 'reject'
  | 'skip';

/** The emails that a suppression affects. */
export type SuppressionScope =
  | 'account'
  | 'domain';

/** A tag of an email. */
export type TagInput = {
  /** The key: 1 to 50 letters, digits, `_`, `.` or `-` */
  key: string;
  /** The value, at most 50 characters */
  value: string;
};

/** How a queue is held back. */
export type ThrottleKind =
  | 'slow_down'
  | 'suspended'
  | 'warm_up';

/** Whether emails of a domain require TLS. */
export type TlsPolicy =
  | 'enforced'
  | 'opportunistic';

/** Whether opens and clicks of an email are tracked. */
export type TrackingInput = {
  /** Replaces links by links of this service, which record the click and redirect */
  clicks?: boolean | null | undefined;
  /** Inserts an image of one pixel, which mail clients load when the email is opened */
  opens?: boolean | null | undefined;
};

/** Changes of the account. Absent fields are not changed. */
export type UpdateAccountInput = {
  /** The name of the account, shown in the dashboard */
  name?: string | null | undefined;
  /** Addresses that receive notices of the service, without display names and quotes. Notices: a webhook fails or was disabled, 80% and 100% of the monthly allowance are used, sending was paused or resumed, emails leave from another source pool */
  notifyAddresses?: Array<string> | null | undefined;
};

/** Changes of an API key. Absent fields are not changed. */
export type UpdateApiKeyInput = {
  /** IPv4 and IPv6 addresses, or networks in CIDR notation, from which the key may be used over HTTP and SMTP. Null: from everywhere */
  allowedIps?: Array<string> | null | undefined;
  /** The only domains that the key, and keys created with it, may send from, and whose data they see. Null: the whole account */
  domainIds?: Array<string> | null | undefined;
  /** A disabled key is refused like a revoked one until it is enabled again */
  enabled?: boolean | null | undefined;
  /** When the key expires: with an offset, in the future. Null: never */
  expiresAt?: string | null | undefined;
  /** A name that tells the key from others */
  name?: string | null | undefined;
  /** `full_access` has every scope, `sending_access` only `emails.send`. Cannot be combined with `scopes` */
  permission?: Permission | null | undefined;
  /** The scopes of the key. Cannot be combined with `permission` */
  scopes?: Array<string> | null | undefined;
};

/** Changes of the settings of a domain. Absent fields are not changed. */
export type UpdateDomainInput = {
  /** Days after which the text, HTML and attachments of settled emails are deleted; null: the period of the service, which is the longest possible */
  bodyRetentionDays?: number | null | undefined;
  /** Days after which captured messages are deleted; null: the period of the service, the longest possible */
  capturedRetentionDays?: number | null | undefined;
  /** Whether to track clicks, unless an email says otherwise. Takes effect once the `Tracking` record is verified */
  clickTracking?: boolean | null | undefined;
  /** `shared`: recipients of one email at the same domain are sent in one SMTP transaction and share a return path. `per_recipient`: each recipient has a transaction and a return path of its own, so that every bounce and complaint can be assigned to one recipient without further proof; sending takes longer */
  envelope?: EnvelopePolicy | null | undefined;
  /** Whether to track opens, unless an email says otherwise. Takes effect once the `Tracking` record is verified */
  openTracking?: boolean | null | undefined;
  /** `opportunistic`: use TLS if the receiving server offers it. `enforced`: send only over TLS to a server whose certificate matches its name (or its DANE records); otherwise the email is deferred and retried */
  tls?: TlsPolicy | null | undefined;
  /** Links that are not tracked, such as one-time links: a host (`login.example.com`, `*.example.com`), or a host with a path (`example.com/reset/*`), without a scheme; `*` stands for any text */
  trackingExclude?: Array<string> | null | undefined;
  /** Whether opens and clicks are recorded without the address and the user agent of the client */
  trackingPrivacy?: boolean | null | undefined;
};

/** Changes of a webhook. Absent fields are not changed. */
export type UpdateWebhookInput = {
  /** Only events of these domains of the account, without events that belong to no domain. Null: all events */
  domainIds?: Array<string> | null | undefined;
  /** Event types to receive, or `["*"]` for all. Types: `email.queued`, `email.scheduled`, `email.sent`, `email.delivered`, `email.bounced`, `email.failed`, `email.opened`, `email.clicked`, `email.complained`, `email.suppressed`, `email.canceled`, `email.unsubscribed`, `email.delivery_delayed`, `domain.created`, `domain.updated`, `domain.deleted`, `suppression.added`, `suppression.removed`, `webhook.test`, `webhook.disabled`, `account.allowance_warning`, `account.paused`, `account.resumed`, `account.pool_changed`. `email.delivery_delayed` is another name for a temporary `email.failed`, for webhooks that list it */
  events?: Array<string> | null | undefined;
  /** Whether to receive opens and clicks of bots (`is_bot: true`), such as link scanners and image proxies */
  includeBots?: boolean | null | undefined;
  /** Enabling resets the failure state. Disabling marks pending events as failed; they can be replayed later */
  status?: WebhookStatus | null | undefined;
  /** The https URL to call: a public address, without user name, fragment, or the port of another service (mail, databases, …) */
  url?: string | null | undefined;
};

/** What a recipient waits for. */
export type Wait =
  | 'account'
  | 'answer'
  | 'retry'
  | 'schedule'
  | 'shaping'
  | 'worker';

/** Selects events of a webhook. An event must match all given fields. */
export type WebhookDeliveryFilter = {
  /** Only events at or after this time */
  createdAfter?: string | null | undefined;
  /** Only events before this time */
  createdBefore?: string | null | undefined;
  /** Only events with this status */
  status?: WebhookDeliveryStatus | null | undefined;
  /** Only events of this type */
  type?: string | null | undefined;
};

/** Whether an event has reached a webhook. */
export type WebhookDeliveryStatus =
  | 'delivered'
  | 'failed'
  | 'pending';

/** Why a webhook is disabled. */
export type WebhookDisabledReason =
  | 'failing'
  | 'gone'
  | 'manual';

/** Whether a webhook receives events. */
export type WebhookStatus =
  | 'disabled'
  | 'enabled';

export type ApiKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type ApiKeysQuery = { __typename: 'Query', apiKeys: Array<{ __typename: 'ApiKey', id: string, name: string, mode: Mode, permission: Permission | null, scopes: Array<string>, domainIds: Array<string> | null, allowedIps: Array<string> | null, expiresAt: string | null, enabled: boolean, lastUsedAt: string | null, createdAt: string }>, domains: Array<{ __typename: 'Domain', id: string, name: string }> };

export type CreateApiKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateApiKeyMutation = { __typename: 'Mutation', createApiKey: { __typename: 'CreatedApiKey', id: string, name: string, token: string } };

export type UpdateApiKeyMutationVariables = Exact<{
  id: string;
  input: UpdateApiKeyInput;
}>;


export type UpdateApiKeyMutation = { __typename: 'Mutation', updateApiKey: { __typename: 'ApiKey', id: string, enabled: boolean } };

export type DeleteApiKeyMutationVariables = Exact<{
  id: string;
}>;


export type DeleteApiKeyMutation = { __typename: 'Mutation', deleteApiKey: { __typename: 'Deleted', id: string } };

export type AuditLogQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: AuditLogFilter | null | undefined;
}>;


export type AuditLogQuery = { __typename: 'Query', auditLog: { __typename: 'AuditEntryConnection', nodes: Array<{ __typename: 'AuditEntry', id: string, actor: string, action: string, target: string, details: unknown, ip: string | null, createdAt: string }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type CapturedEmailsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: CapturedEmailFilter | null | undefined;
}>;


export type CapturedEmailsQuery = { __typename: 'Query', capturedEmails: { __typename: 'CapturedEmailConnection', nodes: Array<{ __typename: 'CapturedEmail', id: string, emailId: string, mailFrom: string, rcptTo: Array<string>, size: number, createdAt: string, email: { __typename: 'Email', subject: string, from: string, attachments: Array<{ __typename: 'Attachment', id: string }> } | null }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type CapturedEmailQueryVariables = Exact<{
  emailId: string;
}>;


export type CapturedEmailQuery = { __typename: 'Query', capturedEmails: { __typename: 'CapturedEmailConnection', nodes: Array<{ __typename: 'CapturedEmail', id: string, emailId: string, mailFrom: string, rcptTo: Array<string>, size: number, createdAt: string }> }, email: { __typename: 'Email', id: string, subject: string, html: string | null, text: string | null, attachments: Array<{ __typename: 'Attachment', id: string, filename: string, contentType: string, size: number, downloadUrl: string }> } | null };

export type DeleteCapturedEmailsMutationVariables = Exact<{ [key: string]: never; }>;


export type DeleteCapturedEmailsMutation = { __typename: 'Mutation', deleteCapturedEmails: { __typename: 'DeletedCapturedEmails', count: number } };

export type DomainsQueryVariables = Exact<{ [key: string]: never; }>;


export type DomainsQuery = { __typename: 'Query', domains: Array<{ __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, warningSince: string | null, lastCheckedAt: string | null }> };

export type DomainPartsFragment = { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, bodyRetentionDays: number | null, capturedRetentionDays: number | null, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> };

export type DomainQueryVariables = Exact<{
  id: string;
}>;


export type DomainQuery = { __typename: 'Query', domain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, bodyRetentionDays: number | null, capturedRetentionDays: number | null, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } | null };

export type CreateDomainMutationVariables = Exact<{
  input: CreateDomainInput;
}>;


export type CreateDomainMutation = { __typename: 'Mutation', createDomain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, bodyRetentionDays: number | null, capturedRetentionDays: number | null, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type VerifyDomainMutationVariables = Exact<{
  id: string;
}>;


export type VerifyDomainMutation = { __typename: 'Mutation', verifyDomain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, bodyRetentionDays: number | null, capturedRetentionDays: number | null, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type UpdateDomainMutationVariables = Exact<{
  id: string;
  input: UpdateDomainInput;
}>;


export type UpdateDomainMutation = { __typename: 'Mutation', updateDomain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, bodyRetentionDays: number | null, capturedRetentionDays: number | null, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type RotateDomainKeyMutationVariables = Exact<{
  id: string;
}>;


export type RotateDomainKeyMutation = { __typename: 'Mutation', rotateDomainKey: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, bodyRetentionDays: number | null, capturedRetentionDays: number | null, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type CancelDomainKeyRotationMutationVariables = Exact<{
  id: string;
}>;


export type CancelDomainKeyRotationMutation = { __typename: 'Mutation', cancelDomainKeyRotation: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, bodyRetentionDays: number | null, capturedRetentionDays: number | null, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type DeleteDomainMutationVariables = Exact<{
  id: string;
}>;


export type DeleteDomainMutation = { __typename: 'Mutation', deleteDomain: { __typename: 'Deleted', id: string } };

export type DomainLiveSubscriptionVariables = Exact<{
  domainId: string;
}>;


export type DomainLiveSubscription = { __typename: 'Subscription', domainStats: { __typename: 'DomainStats', accepted: number, delivered: number, deferred: number, bounced: number, failed: number, complained: number, suppressed: number, opened: number, clicked: number } };

export type DomainRatesQueryVariables = Exact<{
  input?: StatsInput | null | undefined;
}>;


export type DomainRatesQuery = { __typename: 'Query', stats: { __typename: 'Stats', totals: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } } };

export type DomainAdviceQueryVariables = Exact<{
  id: string;
}>;


export type DomainAdviceQuery = { __typename: 'Query', domain: { __typename: 'Domain', id: string, advice: Array<{ __typename: 'DomainAdvice', code: string, severity: AdviceSeverity, message: string, page: AdvicePage | null, publish: { __typename: 'DnsRecordToPublish', type: string, name: string, value: string } | null }> } | null };

export type EmailsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: EmailFilter | null | undefined;
}>;


export type EmailsQuery = { __typename: 'Query', emails: { __typename: 'EmailConnection', nodes: Array<{ __typename: 'Email', id: string, subject: string, from: string, to: Array<string>, status: EmailStatus, lastEvent: LastEvent, createdAt: string, mode: Mode }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type EmailQueryVariables = Exact<{
  id: string;
  content: boolean;
}>;


export type EmailQuery = { __typename: 'Query', capturedEmails?: { __typename: 'CapturedEmailConnection', nodes: Array<{ __typename: 'CapturedEmail', id: string }> }, email: { __typename: 'Email', id: string, mode: Mode, status: EmailStatus, lastEvent: LastEvent, from: string, to: Array<string>, cc: Array<string>, bcc: Array<string>, replyTo: Array<string>, subject: string, createdAt: string, scheduledAt: string | null, deliveredAt: string | null, messageId: string, domainId: string, retryOf: string | null, html?: string | null, text?: string | null, priority: EmailPriority, tags: Array<{ __typename: 'Tag', key: string, value: string }>, domain: { __typename: 'Domain', id: string, name: string } | null, headers?: Array<{ __typename: 'Header', name: string, value: string }>, attachments?: Array<{ __typename: 'Attachment', id: string, filename: string, contentType: string, size: number, downloadUrl: string }>, tracking: { __typename: 'Tracking', opens: boolean, clicks: boolean } | null, recipients: Array<{ __typename: 'Recipient', address: string, type: RecipientType, status: EmailStatus, attempts: number, nextAttemptAt: string | null, smtp: { __typename: 'SmtpReply', code: number | null, enhanced: string | null, text: string, mx: string | null, ip: string | null, tls: string | null } | null, visits: { __typename: 'Visits', opens: number, clicks: number, botOpens: number, botClicks: number } | null }>, explanation: { __typename: 'Explanation', recipients: Array<{ __typename: 'RecipientExplanation', address: string, type: RecipientType, state: EmailStatus, because: string, until: string | null, givesUpAt: string | null, held: { __typename: 'Held', kind: HeldKind, words: string | null } | null }> } | null, events?: { __typename: 'EmailEventConnection', nodes: Array<{ __typename: 'EmailEvent', id: string, type: string, createdAt: string, data: unknown }> }, attempts: { __typename: 'AttemptConnection', nodes: Array<{ __typename: 'Attempt', id: string, recipient: string, number: number, outcome: AttemptOutcome, phase: string | null, sourceIp: string | null, provider: string | null, startedAt: string, endedAt: string, tlsPolicy: AttemptTlsPolicy | null, smtp: { __typename: 'SmtpReply', code: number | null, enhanced: string | null, text: string, mx: string | null, ip: string | null, tls: string | null } | null, security: { __typename: 'AttemptSecurity', version: string, cipher: string | null, verified: boolean, policy: AttemptTlsPolicy } | null }> } } | null };

export type CancelEmailMutationVariables = Exact<{
  id: string;
}>;


export type CancelEmailMutation = { __typename: 'Mutation', cancelEmail: { __typename: 'CanceledEmail', id: string, status: string } };

export type RetryEmailMutationVariables = Exact<{
  id: string;
}>;


export type RetryEmailMutation = { __typename: 'Mutation', retryEmail: { __typename: 'RetriedEmail', id: string } };

export type RescheduleEmailMutationVariables = Exact<{
  id: string;
  input: RescheduleEmailInput;
}>;


export type RescheduleEmailMutation = { __typename: 'Mutation', rescheduleEmail: { __typename: 'RescheduledEmail', id: string, scheduledAt: string } };

export type EmailEventsSubscriptionVariables = Exact<{
  emailId?: string | null | undefined;
}>;


export type EmailEventsSubscription = { __typename: 'Subscription', emailEvents: { __typename: 'Event', id: string, type: string, emailId: string | null } };

export type EventPartsFragment = { __typename: 'Event', id: string, type: string, createdAt: string, emailId: string | null, domainId: string | null, recipient: string | null, data: unknown };

export type EventStreamSubscriptionVariables = Exact<{
  types?: Array<string> | string | null | undefined;
  domainId?: string | null | undefined;
  emailId?: string | null | undefined;
  recipient?: string | null | undefined;
}>;


export type EventStreamSubscription = { __typename: 'Subscription', emailEvents: { __typename: 'Event', id: string, type: string, createdAt: string, emailId: string | null, domainId: string | null, recipient: string | null, data: unknown } };

export type EventHistoryQueryVariables = Exact<{
  last?: number | null | undefined;
  after?: string | null | undefined;
  types?: Array<string> | string | null | undefined;
  domainId?: string | null | undefined;
  emailId?: string | null | undefined;
  recipient?: string | null | undefined;
  createdAfter?: string | null | undefined;
  createdBefore?: string | null | undefined;
}>;


export type EventHistoryQuery = { __typename: 'Query', events: { __typename: 'EventConnection', nodes: Array<{ __typename: 'Event', id: string, type: string, createdAt: string, emailId: string | null, domainId: string | null, recipient: string | null, data: unknown }>, pageInfo: { __typename: 'PageInfo', hasPreviousPage: boolean, startCursor: string | null } } };

export type EventDomainsQueryVariables = Exact<{ [key: string]: never; }>;


export type EventDomainsQuery = { __typename: 'Query', domains: Array<{ __typename: 'Domain', id: string, name: string }> };

export type GettingStartedQueryVariables = Exact<{ [key: string]: never; }>;


export type GettingStartedQuery = { __typename: 'Query', account: { __typename: 'Account', id: string, capturesEmails: boolean, simulatorDomain: string, smtpRelay: { __typename: 'SmtpRelay', host: string, starttlsPort: number, tlsPort: number, hasSelfSignedCertificate: boolean } }, domains: Array<{ __typename: 'Domain', id: string, name: string, status: DomainStatus }>, apiKeys: Array<{ __typename: 'ApiKey', id: string, name: string, enabled: boolean }>, delivered: { __typename: 'EmailConnection', nodes: Array<{ __typename: 'Email', id: string }> }, emails: { __typename: 'EmailConnection', nodes: Array<{ __typename: 'Email', id: string, status: EmailStatus, from: string }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type SendFirstMessageMutationVariables = Exact<{
  input: SendEmailInput;
}>;


export type SendFirstMessageMutation = { __typename: 'Mutation', sendEmail: { __typename: 'SentEmail', id: string } };

export type SentMessageQueryVariables = Exact<{
  id: string;
}>;


export type SentMessageQuery = { __typename: 'Query', email: { __typename: 'Email', id: string, status: EmailStatus, createdAt: string, deliveredAt: string | null, recipients: Array<{ __typename: 'Recipient', address: string, status: EmailStatus, attempts: number, smtp: { __typename: 'SmtpReply', text: string, mx: string | null } | null }> } | null };

export type RequestLogQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: RequestLogFilter | null | undefined;
}>;


export type RequestLogQuery = { __typename: 'Query', requestLog: { __typename: 'LoggedRequestConnection', nodes: Array<{ __typename: 'LoggedRequest', id: string, requestId: string, method: string, endpoint: string, responseStatus: number, error: string | null, ip: string | null, userAgent: string | null, apiKeyId: string, latencyMs: number, createdAt: string }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type OperatorAccountPartsFragment = { __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null };

export type AbuseLimitsPartsFragment = { __typename: 'AbuseLimits', enabled: boolean, windowHours: number, minimumRecipients: number, bouncePercent: number, complaintPercent: number, hasPenaltyPool: boolean };

export type OperatorAccountsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  search?: string | null | undefined;
  status?: AccountStatus | null | undefined;
}>;


export type OperatorAccountsQuery = { __typename: 'Query', operator: { __typename: 'Operator', abuseLimits: { __typename: 'AbuseLimits', enabled: boolean, windowHours: number, minimumRecipients: number, bouncePercent: number, complaintPercent: number, hasPenaltyPool: boolean }, accounts: { __typename: 'OperatorAccountConnection', nodes: Array<{ __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } } };

export type OperatorAccountQueryVariables = Exact<{
  id: string;
}>;


export type OperatorAccountQuery = { __typename: 'Query', operator: { __typename: 'Operator', abuseLimits: { __typename: 'AbuseLimits', enabled: boolean, windowHours: number, minimumRecipients: number, bouncePercent: number, complaintPercent: number, hasPenaltyPool: boolean }, account: { __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null } | null } };

export type CreateAccountMutationVariables = Exact<{
  input: CreateAccountInput;
}>;


export type CreateAccountMutation = { __typename: 'Mutation', createAccount: { __typename: 'CreatedAccount', apiKey: string, invitationProblem: string | null, account: { __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null } } };

export type InviteOwnerMutationVariables = Exact<{
  id: string;
  email: string;
}>;


export type InviteOwnerMutation = { __typename: 'Mutation', inviteOwner: { __typename: 'OperatorAccount', id: string } };

export type SetAccountStandingMutationVariables = Exact<{
  id: string;
  standing: AccountStanding;
}>;


export type SetAccountStandingMutation = { __typename: 'Mutation', setAccountStanding: { __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null } };

export type SetAccountPlanMutationVariables = Exact<{
  id: string;
  plan: string;
}>;


export type SetAccountPlanMutation = { __typename: 'Mutation', setAccountPlan: { __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null } };

export type SetAccountPoolMutationVariables = Exact<{
  id: string;
  pool: AccountPoolChoice;
}>;


export type SetAccountPoolMutation = { __typename: 'Mutation', setAccountPool: { __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null } };

export type ResumeAccountMutationVariables = Exact<{
  id: string;
}>;


export type ResumeAccountMutation = { __typename: 'Mutation', resumeAccount: { __typename: 'OperatorAccount', id: string, name: string, status: AccountStatus, standing: AccountStanding, plan: string, members: number, isFirst: boolean, createdAt: string, notifyAddresses: Array<string>, acceptedThisMonth: number | null, poolChoice: AccountPoolChoice, bounceLimitPercent: number | null, complaintLimitPercent: number | null, usage: { __typename: 'MonthlyUsage', used: number, limit: number } | null, stats: { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null } | null, outcomes: { __typename: 'SendingOutcomes', recipients: number, hardBounces: number, complaints: number, blocks: number }, penalty: { __typename: 'AccountPenalty', reason: string, since: string, recipients: number, hardBounces: number, complaints: number, blocks: number, limitPercent: number | null, cleanDays: Array<string> } | null, pause: { __typename: 'AutomaticPause', reason: string, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null } };

export type OperatorQueuesQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorQueuesQuery = { __typename: 'Query', operator: { __typename: 'Operator', queues: Array<{ __typename: 'ProviderQueue', provider: string, recipients: number, accounts: number, oldestDueAt: string | null, nextAttemptAt: string | null, since: string, waits: Array<{ __typename: 'Queue', domain: string, waitingFor: Wait, recipients: number, reason: string, code: number | null, host: string | null, since: string }> }>, throttles: Array<{ __typename: 'Throttle', queue: string, source: string | null, state: ThrottleKind, factor: number | null, since: string, until: string, rule: string, mx: string | null, words: string | null, waiting: number }>, sources: Array<{ __typename: 'SourceAddress', address: string, heloName: string, pools: Array<string>, state: SourceState, startedAt: string | null, warmUp: Array<{ __typename: 'WarmUpDay', provider: string | null, allowance: number | null, used: number }> }> } };

export type ResumeQueueMutationVariables = Exact<{
  queue: string;
}>;


export type ResumeQueueMutation = { __typename: 'Mutation', resumeQueue: { __typename: 'ResumedQueue', restraints: number, recipients: number } };

export type OperatorEventLogQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorEventLogQuery = { __typename: 'Query', operator: { __typename: 'Operator', eventLog: { __typename: 'EventLogState', head: number, outbox: number, outboxSeconds: number, consumers: Array<{ __typename: 'LogConsumer', consumer: string, position: number | null, lag: number | null, movedAt: string | null, parked: number }> } } };

export type ParkedEventsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  consumer?: string | null | undefined;
}>;


export type ParkedEventsQuery = { __typename: 'Query', operator: { __typename: 'Operator', parkedEvents: { __typename: 'ParkedEventConnection', nodes: Array<{ __typename: 'ParkedEvent', id: string, consumer: string, source: string, position: number, eventId: string | null, eventType: string | null, accountId: string | null, reason: string, failures: number, replayRequested: boolean, parkedAt: string, failedAt: string }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } } };

export type ParkedEventQueryVariables = Exact<{
  id: string;
}>;


export type ParkedEventQuery = { __typename: 'Query', operator: { __typename: 'Operator', parkedEvent: { __typename: 'ParkedEvent', id: string, content: unknown } | null } };

export type ReplayParkedEventsMutationVariables = Exact<{
  id?: string | null | undefined;
  consumer?: string | null | undefined;
}>;


export type ReplayParkedEventsMutation = { __typename: 'Mutation', replayParkedEvents: number };

export type DropParkedEventsMutationVariables = Exact<{
  id?: string | null | undefined;
  consumer?: string | null | undefined;
}>;


export type DropParkedEventsMutation = { __typename: 'Mutation', dropParkedEvents: number };

export type OperatorHealthQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorHealthQuery = { __typename: 'Query', operator: { __typename: 'Operator', health: { __typename: 'ServiceHealth', state: ServiceState, version: string, nodeVersion: string, uptimeSeconds: number, memoryBytes: number, deliveryMode: string, serviceDomain: string, isSignUpOpen: boolean, problems: Array<{ __typename: 'ServiceProblem', kind: ServiceProblemKind, severity: ServiceState, message: string, reply: string | null, since: string | null }>, activity: { __typename: 'ServiceActivity', minutes: Array<{ __typename: 'ActivityMinute', at: string, accepted: number, delivered: number }>, latency: { __typename: 'ServiceLatency', p50: number, p95: number } | null } | null, waiting: { __typename: 'ServiceWaiting', recipients: number, held: number, retry: number, account: number, scheduled: number, due: number }, size: { __typename: 'ServiceSize', total: number, database: number, eventLog: number, contents: number, statistics: number | null, other: number | null, bytesPerDay: number | null } | null, parts: Array<{ __typename: 'HealthPart', part: string, reason: string | null, since: string | null }>, programs: Array<{ __typename: 'ServiceProgram', program: string, isAlive: boolean, silentSeconds: number }>, database: { __typename: 'DatabaseHealth', version: string, connectionsUsed: number, connectionsAllowed: number }, statistics: { __typename: 'StatisticsHealth', engine: string, version: string | null, problem: string | null }, disk: { __typename: 'DiskHealth', folder: string, freeBytes: number, totalBytes: number, daysLeft: number | null } | null }, throttles: Array<{ __typename: 'Throttle', queue: string, source: string | null, state: ThrottleKind, since: string, until: string, mx: string | null, words: string | null, blockList: string | null, waiting: number }> } };

export type OperatorNoticesQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorNoticesQuery = { __typename: 'Query', operator: { __typename: 'Operator', health: { __typename: 'ServiceHealth', problems: Array<{ __typename: 'ServiceProblem', kind: ServiceProblemKind, severity: ServiceState, message: string, since: string | null }> }, throttles: Array<{ __typename: 'Throttle', queue: string, since: string, mx: string | null, words: string | null, blockList: string | null, waiting: number }> } };

export type DoctorRunPartsFragment = { __typename: 'DoctorRun', id: string, state: DoctorState, domain: string | null, startedAt: string, finishedAt: string | null, checks: Array<{ __typename: 'DoctorCheck', name: string, title: string, ended: boolean, results: Array<{ __typename: 'DoctorResult', status: CheckStatus, subject: string, message: string, fix: string | null }> }> };

export type DoctorQueryVariables = Exact<{ [key: string]: never; }>;


export type DoctorQuery = { __typename: 'Query', operator: { __typename: 'Operator', doctor: { __typename: 'DoctorRun', id: string, state: DoctorState, domain: string | null, startedAt: string, finishedAt: string | null, checks: Array<{ __typename: 'DoctorCheck', name: string, title: string, ended: boolean, results: Array<{ __typename: 'DoctorResult', status: CheckStatus, subject: string, message: string, fix: string | null }> }> } | null } };

export type RunDoctorMutationVariables = Exact<{
  domain?: string | null | undefined;
}>;


export type RunDoctorMutation = { __typename: 'Mutation', runDoctor: { __typename: 'DoctorRun', id: string, state: DoctorState, domain: string | null, startedAt: string, finishedAt: string | null, checks: Array<{ __typename: 'DoctorCheck', name: string, title: string, ended: boolean, results: Array<{ __typename: 'DoctorResult', status: CheckStatus, subject: string, message: string, fix: string | null }> }> } };

export type ServiceZoneQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceZoneQuery = { __typename: 'Query', operator: { __typename: 'Operator', zone: { __typename: 'ServiceZone', addresses: Array<string>, text: string, dkim: string, dkimTruncated: boolean } } };

export type RatePartsFragment = { __typename: 'StatsValues', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null };

export type RowRatePartsFragment = { __typename: 'StatsRow', settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null };

export type FailingWebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type FailingWebhooksQuery = { __typename: 'Query', webhooks: Array<{ __typename: 'Webhook', id: string, url: string, status: WebhookStatus, failingSince: string | null, figures: { __typename: 'WebhookFigures', pending: number } }> };

export type OverviewQueryVariables = Exact<{
  today?: StatsInput | null | undefined;
  periods?: StatsInput | null | undefined;
}>;


export type OverviewQuery = { __typename: 'Query', usage: { __typename: 'Usage', plan: string, limit: number | null, used: number | null, resetsAt: string }, account: { __typename: 'Account', id: string, status: AccountStatus, sendingPause: { __typename: 'SendingPause', reason: PauseReason, pausedAt: string, recipients: number, hardBounces: number, complaints: number, limitPercent: number } | null }, today: { __typename: 'Stats', totals: { __typename: 'StatsValues', accepted: number | null, delivered: number | null, bounced: number | null, complained: number | null, settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null, latencyMs: { __typename: 'StatsLatency', p50: number | null, p95: number | null, p99: number | null } | null }, data: Array<{ __typename: 'StatsRow', domainId: string | null, accepted: number | null, delivered: number | null, bounced: number | null, complained: number | null, settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null, latencyMs: { __typename: 'StatsLatency', p50: number | null, p95: number | null, p99: number | null } | null }> | null }, periods: { __typename: 'Stats', data: Array<{ __typename: 'StatsRow', period: string | null, accepted: number | null, delivered: number | null, bounced: number | null }> | null }, domains: Array<{ __typename: 'Domain', id: string, name: string, status: DomainStatus, warningSince: string | null }> };

export type AccountLiveSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type AccountLiveSubscription = { __typename: 'Subscription', accountStats: { __typename: 'AccountStats', to: string, accepted: number, sent: number, delivered: number, deferred: number, bounced: number, failed: number, complained: number, suppressed: number, opened: number, clicked: number } };

export type DomainOverviewLiveSubscriptionVariables = Exact<{
  domainId: string;
}>;


export type DomainOverviewLiveSubscription = { __typename: 'Subscription', domainStats: { __typename: 'DomainStats', to: string, accepted: number, sent: number, delivered: number, deferred: number, bounced: number, failed: number, complained: number, suppressed: number, opened: number, clicked: number } };

export type QueuesLiveSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type QueuesLiveSubscription = { __typename: 'Subscription', queues: Array<{ __typename: 'Queue', domain: string, provider: string, recipients: number, oldestDueAt: string | null, nextAttemptAt: string | null, reason: string, host: string | null, blockList: string | null, since: string }> };

export type AccountSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type AccountSettingsQuery = { __typename: 'Query', account: { __typename: 'Account', id: string, name: string, plan: string, notifyAddresses: Array<string>, capturesEmails: boolean } };

export type UpdateAccountMutationVariables = Exact<{
  input: UpdateAccountInput;
}>;


export type UpdateAccountMutation = { __typename: 'Mutation', updateAccount: { __typename: 'Account', id: string, name: string, notifyAddresses: Array<string> } };

export type StatisticsQueryVariables = Exact<{
  input?: StatsInput | null | undefined;
}>;


export type StatisticsQuery = { __typename: 'Query', stats: { __typename: 'Stats', approximate: Array<string>, startDate: string, endDate: string, totals: { __typename: 'StatsValues', accepted: number | null, delivered: number | null, bounced: number | null, complained: number | null, uniqueOpened: number | null, uniqueClicked: number | null, settled: number | null, simulated: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null, openedOfSettled: number | null, clickedOfSettled: number | null }, data: Array<{ __typename: 'StatsRow', period: string | null, domainId: string | null, provider: string | null, bounceClass: string | null, accepted: number | null, delivered: number | null, bounced: number | null, complained: number | null, uniqueOpened: number | null, uniqueClicked: number | null, settled: number | null, deliveredOfSettled: number | null, bouncedOfSettled: number | null }> | null } };

export type SuppressionsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: SuppressionFilter | null | undefined;
}>;


export type SuppressionsQuery = { __typename: 'Query', suppressions: { __typename: 'SuppressionConnection', nodes: Array<{ __typename: 'Suppression', id: string, email: string, origin: SuppressionOrigin, reason: string | null, scope: SuppressionScope, domainId: string | null, createdAt: string, expiresAt: string | null, evidence: { __typename: 'SuppressionEvidence', emailId: string | null, recipient: string, smtpCode: number | null, enhancedCode: string | null, text: string | null, mx: string | null, feedbackType: string | null, at: string } | null }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type AddSuppressionsMutationVariables = Exact<{
  input: AddSuppressionsInput;
}>;


export type AddSuppressionsMutation = { __typename: 'Mutation', addSuppressions: Array<{ __typename: 'AddedSuppression', created: boolean }> };

export type RemoveSuppressionsMutationVariables = Exact<{
  input: RemoveSuppressionsInput;
}>;


export type RemoveSuppressionsMutation = { __typename: 'Mutation', removeSuppressions: Array<{ __typename: 'RemovedSuppression', index: number, email: string | null, error: { __typename: 'SuppressionError', code: string, message: string } | null }> };

export type UsageQueryVariables = Exact<{ [key: string]: never; }>;


export type UsageQuery = { __typename: 'Query', usage: { __typename: 'Usage', plan: string, unit: AllowanceUnit, month: string, limit: number | null, used: number | null, remaining: number | null, resetsAt: string, rateLimitPerSecond: number } };

export type UsageByMonthQueryVariables = Exact<{ [key: string]: never; }>;


export type UsageByMonthQuery = { __typename: 'Query', usage: { __typename: 'Usage', months: Array<{ __typename: 'UsageMonth', month: string, accepted: number, delivered: number, bounced: number, failed: number, complained: number, settled: number, simulated: number, deliveredOfSettled: number | null, bouncedOfSettled: number | null, complainedOfSettled: number | null }> } };

export type WebhookPartsFragment = { __typename: 'Webhook', id: string, url: string, events: Array<string>, domainIds: Array<string> | null, includeBots: boolean, status: WebhookStatus, disabledReason: WebhookDisabledReason | null, failingSince: string | null, previousSecretExpiresAt: string | null, createdAt: string };

export type WebhookFiguresPartsFragment = { __typename: 'Webhook', figures: { __typename: 'WebhookFigures', lagSeconds: number, pending: number, inFlight: number, window: number, pausedUntil: string | null, last24Hours: { __typename: 'WebhookDay', delivered: number, failed: number, failedAttempts: number, successRate: number | null, averageLatencyMs: number | null, maxLatencyMs: number | null } } };

export type WebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhooksQuery = { __typename: 'Query', webhooks: Array<{ __typename: 'Webhook', id: string, url: string, events: Array<string>, domainIds: Array<string> | null, includeBots: boolean, status: WebhookStatus, disabledReason: WebhookDisabledReason | null, failingSince: string | null, previousSecretExpiresAt: string | null, createdAt: string, figures: { __typename: 'WebhookFigures', lagSeconds: number, pending: number, inFlight: number, window: number, pausedUntil: string | null, last24Hours: { __typename: 'WebhookDay', delivered: number, failed: number, failedAttempts: number, successRate: number | null, averageLatencyMs: number | null, maxLatencyMs: number | null } } }>, domains: Array<{ __typename: 'Domain', id: string, name: string }> };

export type WebhookQueryVariables = Exact<{
  id: string;
}>;


export type WebhookQuery = { __typename: 'Query', webhook: { __typename: 'Webhook', id: string, url: string, events: Array<string>, domainIds: Array<string> | null, includeBots: boolean, status: WebhookStatus, disabledReason: WebhookDisabledReason | null, failingSince: string | null, previousSecretExpiresAt: string | null, createdAt: string, figures: { __typename: 'WebhookFigures', lagSeconds: number, pending: number, inFlight: number, window: number, pausedUntil: string | null, last24Hours: { __typename: 'WebhookDay', delivered: number, failed: number, failedAttempts: number, successRate: number | null, averageLatencyMs: number | null, maxLatencyMs: number | null } } } | null, domains: Array<{ __typename: 'Domain', id: string, name: string }> };

export type WebhookDeliveriesQueryVariables = Exact<{
  id: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: WebhookDeliveryFilter | null | undefined;
}>;


export type WebhookDeliveriesQuery = { __typename: 'Query', webhook: { __typename: 'Webhook', id: string, deliveries: { __typename: 'WebhookDeliveryConnection', nodes: Array<{ __typename: 'WebhookDelivery', id: string, deliveryId: string, type: string, status: WebhookDeliveryStatus, attempts: number, lastStatus: number | null, lastError: string | null, nextAttemptAt: string | null, createdAt: string, payload: unknown }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } } | null };

export type WebhookDeliveryQueryVariables = Exact<{
  id: string;
  eventId: string;
}>;


export type WebhookDeliveryQuery = { __typename: 'Query', webhook: { __typename: 'Webhook', id: string, delivery: { __typename: 'WebhookDelivery', id: string, deliveryId: string, type: string, status: WebhookDeliveryStatus, attempts: number, createdAt: string, payload: unknown, calls: { __typename: 'WebhookCallConnection', nodes: Array<{ __typename: 'WebhookCall', id: string, number: number, httpStatusCode: number | null, error: string | null, latencyMs: number | null, response: string | null, sentAt: string }> } } | null } | null };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { __typename: 'Mutation', createWebhook: { __typename: 'CreatedWebhook', id: string, secret: string } };

export type UpdateWebhookMutationVariables = Exact<{
  id: string;
  input: UpdateWebhookInput;
}>;


export type UpdateWebhookMutation = { __typename: 'Mutation', updateWebhook: { __typename: 'Webhook', id: string, url: string, events: Array<string>, domainIds: Array<string> | null, includeBots: boolean, status: WebhookStatus, disabledReason: WebhookDisabledReason | null, failingSince: string | null, previousSecretExpiresAt: string | null, createdAt: string } };

export type DeleteWebhookMutationVariables = Exact<{
  id: string;
}>;


export type DeleteWebhookMutation = { __typename: 'Mutation', deleteWebhook: { __typename: 'Deleted', id: string } };

export type RotateWebhookSecretMutationVariables = Exact<{
  id: string;
  input?: RotateWebhookSecretInput | null | undefined;
}>;


export type RotateWebhookSecretMutation = { __typename: 'Mutation', rotateWebhookSecret: { __typename: 'RotatedWebhookSecret', id: string, secret: string, previousSecretExpiresAt: string | null } };

export type TestWebhookMutationVariables = Exact<{
  id: string;
}>;


export type TestWebhookMutation = { __typename: 'Mutation', testWebhook: { __typename: 'WebhookDelivery', id: string } };

export type ReplayWebhookEventMutationVariables = Exact<{
  webhookId: string;
  eventId: string;
}>;


export type ReplayWebhookEventMutation = { __typename: 'Mutation', replayWebhookEvent: { __typename: 'WebhookDelivery', id: string } };

export type ReplayWebhookMutationVariables = Exact<{
  id: string;
  input: ReplayWebhookInput;
}>;


export type ReplayWebhookMutation = { __typename: 'Mutation', replayWebhook: { __typename: 'WebhookReplay', id: string } };

export type WebhookReplaysQueryVariables = Exact<{
  webhookId: string;
}>;


export type WebhookReplaysQuery = { __typename: 'Query', webhookReplays: { __typename: 'WebhookReplayConnection', nodes: Array<{ __typename: 'WebhookReplay', id: string, status: string, queued: number, skipped: number, createdAt: string, reachedAt: string | null }> } };

export const AccountLiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"AccountLive"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"d51e4e7a290379428aaf5335b64cf29d4d9a99f609362cf0bcc85d96cb18601f"} as unknown as TypedDocumentNode<AccountLiveSubscription, AccountLiveSubscriptionVariables>;

export const AccountSettingsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AccountSettings"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"da6d959039e09b67a095b03661931f4147838c8d3722f0ee713d2e2cb015b7e2"} as unknown as TypedDocumentNode<AccountSettingsQuery, AccountSettingsQueryVariables>;

export const AddSuppressionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AddSuppressions"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"e33c7f14b74a0d7022b06ad48d69baa70cc928ad6ca23ee1d68e94621ccb3a74"} as unknown as TypedDocumentNode<AddSuppressionsMutation, AddSuppressionsMutationVariables>;

export const ApiKeysDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ApiKeys"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"0dc77ec766f19068e57c8a7fd419bdf115cd5386a7c6b52ef825b15103c51171"} as unknown as TypedDocumentNode<ApiKeysQuery, ApiKeysQueryVariables>;

export const AuditLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AuditLog"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"78772becf6b0e23e15d8038044172a2e2fd451fc203522887820e671b8bd4044"} as unknown as TypedDocumentNode<AuditLogQuery, AuditLogQueryVariables>;

export const CancelDomainKeyRotationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelDomainKeyRotation"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"5557914b73fd0aa2d2aa605f1ab496fe37299e3263518c2efb0a8d058b655e71"} as unknown as TypedDocumentNode<CancelDomainKeyRotationMutation, CancelDomainKeyRotationMutationVariables>;

export const CancelEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelEmail"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"dff2cc24a3980304f395382be10483ca093bba6915eaa307f459ad3653ddee3c"} as unknown as TypedDocumentNode<CancelEmailMutation, CancelEmailMutationVariables>;

export const CapturedEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CapturedEmail"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"50ec9857ebdb2c3675c431d0f8b3641514df1ec762564d23a37ce612abbc6d73"} as unknown as TypedDocumentNode<CapturedEmailQuery, CapturedEmailQueryVariables>;

export const CapturedEmailsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CapturedEmails"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3f091fa66067fc466436de21984164286fea029ef17971ca8e66e768c8f424d7"} as unknown as TypedDocumentNode<CapturedEmailsQuery, CapturedEmailsQueryVariables>;

export const CreateAccountDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateAccount"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"cbff1fa1a370f95884157a20e6019b16f17cbdf5d9e83530f012d9dde472b18e"} as unknown as TypedDocumentNode<CreateAccountMutation, CreateAccountMutationVariables>;

export const CreateApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateApiKey"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"44b2563e4de43b7e0cd4d33d2b654bc5f0f3d7af9082134050825e9e760e38ad"} as unknown as TypedDocumentNode<CreateApiKeyMutation, CreateApiKeyMutationVariables>;

export const CreateDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateDomain"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"31750b14cd09288e8c547084ff4fd4a856f5b038bb357ccf7dfd53e9de2a5338"} as unknown as TypedDocumentNode<CreateDomainMutation, CreateDomainMutationVariables>;

export const CreateWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateWebhook"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"b4d96c3eda3303c8358d7ce3b221d7357edf04cd9c0761b9891c8930185d1926"} as unknown as TypedDocumentNode<CreateWebhookMutation, CreateWebhookMutationVariables>;

export const DeleteApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteApiKey"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"709419c76d14edd3d9a36efa99e4ab2feeb10ef8ee2586e6fd606b62b7df36a7"} as unknown as TypedDocumentNode<DeleteApiKeyMutation, DeleteApiKeyMutationVariables>;

export const DeleteCapturedEmailsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteCapturedEmails"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"648824ac83ec41bce8322ea94e9a0e39ccf94083fddba252302b3aa2398c2052"} as unknown as TypedDocumentNode<DeleteCapturedEmailsMutation, DeleteCapturedEmailsMutationVariables>;

export const DeleteDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteDomain"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"bce70c1b00ea3b39d24601bac9ac094a78d4a5d4a8107cb10ac60814726b9885"} as unknown as TypedDocumentNode<DeleteDomainMutation, DeleteDomainMutationVariables>;

export const DeleteWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteWebhook"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"d03ff5c179eaf1b986c8c7cfa350620166a761e9acc2e4fb3ef0f038c701ad68"} as unknown as TypedDocumentNode<DeleteWebhookMutation, DeleteWebhookMutationVariables>;

export const DoctorDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Doctor"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"071afa0b522db1a8eaafd78abeadfe76b4afef4f58a9253106c6202544101dcd"} as unknown as TypedDocumentNode<DoctorQuery, DoctorQueryVariables>;

export const DomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Domain"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"adf8fda4119f4abefdc5a44e3aa872e52adbfa37e9cc27744884cd1ec9f8d7be"} as unknown as TypedDocumentNode<DomainQuery, DomainQueryVariables>;

export const DomainAdviceDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DomainAdvice"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"fe915cb386e37e3506e3247bea421af7593585cc3c38648105b65d09ac7e7434"} as unknown as TypedDocumentNode<DomainAdviceQuery, DomainAdviceQueryVariables>;

export const DomainLiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DomainLive"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"bc860db0bdd1fa57f357e2e57d9591d1d08c2144c8a5b6a80cfceef8d59c519d"} as unknown as TypedDocumentNode<DomainLiveSubscription, DomainLiveSubscriptionVariables>;

export const DomainOverviewLiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DomainOverviewLive"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"bfa029b079e1e83ffa144670318ba701475248b8a2dc55cce4c1277ce763997a"} as unknown as TypedDocumentNode<DomainOverviewLiveSubscription, DomainOverviewLiveSubscriptionVariables>;

export const DomainRatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DomainRates"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"d85f4604904e629101dfd1bc8f87a35de935698c1638c730b9a6a3e380b3cb39"} as unknown as TypedDocumentNode<DomainRatesQuery, DomainRatesQueryVariables>;

export const DomainsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Domains"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"338955e8d067fcf7d5e4c41a15b79052b58d2eaeb7d980e888a03ad1a718f03b"} as unknown as TypedDocumentNode<DomainsQuery, DomainsQueryVariables>;

export const DropParkedEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DropParkedEvents"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"05976f4f703f1fa2063a8ac461b9ed380c7706ce381197c4712a1d87b5ac2d0d"} as unknown as TypedDocumentNode<DropParkedEventsMutation, DropParkedEventsMutationVariables>;

export const EmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Email"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"71adf8c8dfbcf15cf892ca1de937dc4adcfd0fd798a067ab480ade9cae185caf"} as unknown as TypedDocumentNode<EmailQuery, EmailQueryVariables>;

export const EmailEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"EmailEvents"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"a42629bdf4650b6a93712d7e3c302480bfe0d31c7b421d4e8f2afca2d566272c"} as unknown as TypedDocumentNode<EmailEventsSubscription, EmailEventsSubscriptionVariables>;

export const EmailsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Emails"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"5e8470948b66c72acedf63cdeae66a4af51552fa0fd6087502fe991655f321cc"} as unknown as TypedDocumentNode<EmailsQuery, EmailsQueryVariables>;

export const EventDomainsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EventDomains"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"b6509c00f5bafb8329ab588be757ce188bf520ae09747a6bc4cc9e794ea1b3e9"} as unknown as TypedDocumentNode<EventDomainsQuery, EventDomainsQueryVariables>;

export const EventHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EventHistory"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"417a2cdf532df516e3ab96edb83e09a6da026bef16f00180a3d19f5f7f08d5c7"} as unknown as TypedDocumentNode<EventHistoryQuery, EventHistoryQueryVariables>;

export const EventStreamDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"EventStream"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"fcc7883f9578cd20201d3f538edd4935490f4e5a2c54bb39f31eccf245715d5f"} as unknown as TypedDocumentNode<EventStreamSubscription, EventStreamSubscriptionVariables>;

export const FailingWebhooksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FailingWebhooks"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"fe842c1d6fe5d2d8e0f7f94118e7b6f4b5450d007e622581cf5529cb0b5511c2"} as unknown as TypedDocumentNode<FailingWebhooksQuery, FailingWebhooksQueryVariables>;

export const GettingStartedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GettingStarted"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"082b6c862e47406b15e397f373384606bb692a9c7c31213702b243f978a144da"} as unknown as TypedDocumentNode<GettingStartedQuery, GettingStartedQueryVariables>;

export const InviteOwnerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"InviteOwner"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"7549eee92cb2b3511555b3f7077f511d9515418fa13ac86e9824d268421c8cc9"} as unknown as TypedDocumentNode<InviteOwnerMutation, InviteOwnerMutationVariables>;

export const OperatorAccountDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OperatorAccount"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"6cd3804bdc372d85cff5264e54f5c95313f843d7d8a525c78ec8da2a904d255a"} as unknown as TypedDocumentNode<OperatorAccountQuery, OperatorAccountQueryVariables>;

export const OperatorAccountsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OperatorAccounts"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"e18a695cd85d1bfda9b437701ab9abf1ce80f096ebff8b5d919ad6343c23181c"} as unknown as TypedDocumentNode<OperatorAccountsQuery, OperatorAccountsQueryVariables>;

export const OperatorEventLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OperatorEventLog"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"20a60bafb9149a57fbfe327a66f6a1450004afa31e42df8852041217237b265a"} as unknown as TypedDocumentNode<OperatorEventLogQuery, OperatorEventLogQueryVariables>;

export const OperatorHealthDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OperatorHealth"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3493986b053116173949b3c7744a6c1a76a25af11f89f5ec6bf05d52f570857f"} as unknown as TypedDocumentNode<OperatorHealthQuery, OperatorHealthQueryVariables>;

export const OperatorNoticesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OperatorNotices"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"ca1fd5eb4aa3415fe7cef7a75656823128cc4603bcb5876e3f2c19f4df8c9de6"} as unknown as TypedDocumentNode<OperatorNoticesQuery, OperatorNoticesQueryVariables>;

export const OperatorQueuesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"OperatorQueues"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"5542c82666b3e730de32e9c822d2c85afd66cb93130855e62514ec08eeeb79e8"} as unknown as TypedDocumentNode<OperatorQueuesQuery, OperatorQueuesQueryVariables>;

export const OverviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Overview"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"7b11363c442b0ad7ec6b4bf1baf733a546fe4f6d5c5b007f531a5a8497acb529"} as unknown as TypedDocumentNode<OverviewQuery, OverviewQueryVariables>;

export const ParkedEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ParkedEvent"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"2dd490ee26f5f42f24463f0e9b78969ee7924f746c7e193237b05aae14f3f654"} as unknown as TypedDocumentNode<ParkedEventQuery, ParkedEventQueryVariables>;

export const ParkedEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ParkedEvents"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"961590232b792b295f7c17f4f32bb513c722cae0d17569afdc67acfdd6c538dd"} as unknown as TypedDocumentNode<ParkedEventsQuery, ParkedEventsQueryVariables>;

export const QueuesLiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"QueuesLive"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"705f563f0364a1a4d33153ec9c82fc8aae4c8e78313e15ea8a7ec0d577e0f587"} as unknown as TypedDocumentNode<QueuesLiveSubscription, QueuesLiveSubscriptionVariables>;

export const RemoveSuppressionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RemoveSuppressions"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"c9fa1fab3ad3d5d50eef0ca9daafef96d89f970002865209984d70ff1c878d56"} as unknown as TypedDocumentNode<RemoveSuppressionsMutation, RemoveSuppressionsMutationVariables>;

export const ReplayParkedEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReplayParkedEvents"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3b06911f4cd744014aabb30471b23866d69b5036d248af889b0bed9d7c2e8f26"} as unknown as TypedDocumentNode<ReplayParkedEventsMutation, ReplayParkedEventsMutationVariables>;

export const ReplayWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReplayWebhook"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"5bc57bfdd5b8d319a76f00db10a81183a0b2e6cd91c0f4d4b53fe3af23beb13e"} as unknown as TypedDocumentNode<ReplayWebhookMutation, ReplayWebhookMutationVariables>;

export const ReplayWebhookEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReplayWebhookEvent"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"150e8d314ef035927f1cf5b64656097bdc325988a293831ad04d6ba86e0965a5"} as unknown as TypedDocumentNode<ReplayWebhookEventMutation, ReplayWebhookEventMutationVariables>;

export const RequestLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"RequestLog"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"9d927e5a9b02c9d9af7dbf3a6b4fd1349ddf8054fefe18fef7ab92a18648f2bc"} as unknown as TypedDocumentNode<RequestLogQuery, RequestLogQueryVariables>;

export const RescheduleEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RescheduleEmail"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"4ccb274c7c69f8f42cdcb77d759665caf6d900dc3bef605314e792b9305b6f9a"} as unknown as TypedDocumentNode<RescheduleEmailMutation, RescheduleEmailMutationVariables>;

export const ResumeAccountDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ResumeAccount"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"9e007e3b725604edf0601ec425934f2bae978e9000519a8b7683e1937f82c719"} as unknown as TypedDocumentNode<ResumeAccountMutation, ResumeAccountMutationVariables>;

export const ResumeQueueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ResumeQueue"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"16bd3180cc80e7defbae79744aba369058405bcb9bd85314dabda78922900b6f"} as unknown as TypedDocumentNode<ResumeQueueMutation, ResumeQueueMutationVariables>;

export const RetryEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RetryEmail"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"b32699960d2426127a2da20562f549af829ce38b6f936870963e6bfbdf1fa2a1"} as unknown as TypedDocumentNode<RetryEmailMutation, RetryEmailMutationVariables>;

export const RotateDomainKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RotateDomainKey"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"c5c407e499994b902f6f90493d19becaa97b1f69f9edc20d6c610de473a9f0a4"} as unknown as TypedDocumentNode<RotateDomainKeyMutation, RotateDomainKeyMutationVariables>;

export const RotateWebhookSecretDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RotateWebhookSecret"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"749ab4ff20d1e16a5c29dc1686b83c739cbd5a0e647319cbff9a8190fd14acab"} as unknown as TypedDocumentNode<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;

export const RunDoctorDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RunDoctor"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"7a9329f5eb697b2800557b874839ee614655f3d91108a000371fefa94b077d54"} as unknown as TypedDocumentNode<RunDoctorMutation, RunDoctorMutationVariables>;

export const SendFirstMessageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SendFirstMessage"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"508eb0cb3a53570642eab398afca8e201631a12e16d91541268a5c6cd2d25fcb"} as unknown as TypedDocumentNode<SendFirstMessageMutation, SendFirstMessageMutationVariables>;

export const SentMessageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SentMessage"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"bca42f74893eefc080402945bfe68da535cecb124677e53b922cd34d870bbd20"} as unknown as TypedDocumentNode<SentMessageQuery, SentMessageQueryVariables>;

export const ServiceZoneDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ServiceZone"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"6b9be279aeae684f9e2200077737c19a10f8e76ff7b177d2b54f88d030fc4d5b"} as unknown as TypedDocumentNode<ServiceZoneQuery, ServiceZoneQueryVariables>;

export const SetAccountPlanDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetAccountPlan"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"6d33c3e26ee34b3be48d9b12d6806134f6c783aea3476d4a2ea5dc182206f8de"} as unknown as TypedDocumentNode<SetAccountPlanMutation, SetAccountPlanMutationVariables>;

export const SetAccountPoolDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetAccountPool"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"beb5c2369480e696f2fd21d5c3abd5d72e60398db7b6614489431a7ede254f06"} as unknown as TypedDocumentNode<SetAccountPoolMutation, SetAccountPoolMutationVariables>;

export const SetAccountStandingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetAccountStanding"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"1fc158e90f8ebbda35997913300c5b3220a1bdd3748c114a8cc9ade473b59a45"} as unknown as TypedDocumentNode<SetAccountStandingMutation, SetAccountStandingMutationVariables>;

export const StatisticsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Statistics"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3741b3ad779f8824248ee88692ecba73d86e6fc20c80c422846c02b46022815d"} as unknown as TypedDocumentNode<StatisticsQuery, StatisticsQueryVariables>;

export const SuppressionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Suppressions"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3726cdf78b28ac574989cde2cf3cdd8954db290b1a6baa6ecd68c9205c08c66f"} as unknown as TypedDocumentNode<SuppressionsQuery, SuppressionsQueryVariables>;

export const TestWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"TestWebhook"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3642e83bf3725cc4e516278d23559dc79304aeed215131806843afc271c8d725"} as unknown as TypedDocumentNode<TestWebhookMutation, TestWebhookMutationVariables>;

export const UpdateAccountDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateAccount"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"78991f141d551783c2f0ec6436a5d81af872491a375122fc7d1d3bf9a6af31b6"} as unknown as TypedDocumentNode<UpdateAccountMutation, UpdateAccountMutationVariables>;

export const UpdateApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateApiKey"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"053f77098455f495bbd0431ce8a748ecb0cb824aa75693f36594b36784114c95"} as unknown as TypedDocumentNode<UpdateApiKeyMutation, UpdateApiKeyMutationVariables>;

export const UpdateDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateDomain"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"4acda70419d5dec6499b1654468f8b585851e18a2558a45eee8b098f60da5de8"} as unknown as TypedDocumentNode<UpdateDomainMutation, UpdateDomainMutationVariables>;

export const UpdateWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateWebhook"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3f2aa74380e03277d48bf57176f4647776d90a6a265c7f387f3472d94c95b555"} as unknown as TypedDocumentNode<UpdateWebhookMutation, UpdateWebhookMutationVariables>;

export const UsageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Usage"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"c3011055743a6209b9e8f8526ac86ff8c8fc58d51491f0540c3c12dc7ec4ed57"} as unknown as TypedDocumentNode<UsageQuery, UsageQueryVariables>;

export const UsageByMonthDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"UsageByMonth"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"0509da3e9ed090b0249469084dc5f8a22b924c809a75c23c7d3273ced1370e9a"} as unknown as TypedDocumentNode<UsageByMonthQuery, UsageByMonthQueryVariables>;

export const VerifyDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"VerifyDomain"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"f4228d6918ca3ac76367dd9490854023580e743c214e76bbb219ac3e48cd3a77"} as unknown as TypedDocumentNode<VerifyDomainMutation, VerifyDomainMutationVariables>;

export const WebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Webhook"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"de9dc1e7867e662f4ea2948ff6d37261b2962261b2440c8bda2a9e0114529941"} as unknown as TypedDocumentNode<WebhookQuery, WebhookQueryVariables>;

export const WebhookDeliveriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhookDeliveries"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"a66b470c1d25bdafb1d03bdd278e9f3fbf78c2adc615b0886a2955d890ed1370"} as unknown as TypedDocumentNode<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;

export const WebhookDeliveryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhookDelivery"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"3dff0bc1e7c03586f385d4282bb52110bc4d679cd9937e69bd6dc0b41365578b"} as unknown as TypedDocumentNode<WebhookDeliveryQuery, WebhookDeliveryQueryVariables>;

export const WebhookReplaysDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhookReplays"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"ab367317b009e00ee272be8611fad94dd2f787f44fd621847397eb96824c01f0"} as unknown as TypedDocumentNode<WebhookReplaysQuery, WebhookReplaysQueryVariables>;

export const WebhooksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Webhooks"},"selectionSet":{"kind":"SelectionSet","selections":[]}}],"documentId":"98e178fe6f64e2d800a1aac00a55025f84e23dd4ab8db053a330e33c7dc591a0"} as unknown as TypedDocumentNode<WebhooksQuery, WebhooksQueryVariables>;
