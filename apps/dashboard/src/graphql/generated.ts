// Generated from the *.graphql files of the dashboard by tools/generate.mjs. Do not edit.
import type { TypedDocumentNode } from '@urql/core';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Addresses to suppress: either `emails` or `entries`. */
export type AddSuppressionsInput = {
  /** 1 to 100 addresses. Required unless `entries` is given */
  emails?: Array<string> | null | undefined;
  /** Instead of `emails`: 1 to 100 entries with their options */
  entries?: Array<SuppressionInput> | null | undefined;
};

/** The unit of the monthly allowance. */
export type AllowanceUnit =
  | 'message'
  | 'recipient';

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

/** Selects captured messages. A message must match all given fields. */
export type CapturedEmailFilter = {
  /** Only messages of this e-mail */
  emailId?: string | null | undefined;
  /** Only messages to this address */
  to?: string | null | undefined;
};

/** An API key to create. */
export type CreateApiKeyInput = {
  /** IPv4 and IPv6 addresses, or networks in CIDR notation, from which the key may be used over HTTP and SMTP. Null: from everywhere */
  allowedIps?: Array<string> | null | undefined;
  /** The only domains that the key, and keys created with it, may send from, and whose data they see. Null: the whole account */
  domainIds?: Array<string> | null | undefined;
  /** When the key expires: with an offset, in the future. Null: never */
  expiresAt?: string | null | undefined;
  /** E-mails of a test key are checked and recorded like all others but never delivered. It sees and changes test data only */
  mode?: Mode | null | undefined;
  /** A name of your choice */
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
  /** Event types to receive, or `["*"]` for all. Types: `email.queued`, `email.scheduled`, `email.sent`, `email.delivered`, `email.bounced`, `email.failed`, `email.opened`, `email.clicked`, `email.complained`, `email.suppressed`, `email.canceled`, `email.unsubscribed`, `email.delivery_delayed`, `domain.created`, `domain.updated`, `domain.deleted`, `suppression.added`, `suppression.removed`, `webhook.test`, `webhook.disabled`, `account.allowance_warning`, `account.paused`, `account.resumed`. `email.delivery_delayed` is another name for a temporary `email.failed`, for webhooks that list it */
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

/** The status of a DNS record. */
export type DomainRecordStatus =
  | 'failed'
  | 'pending'
  | 'verified';

/** The status of a sending domain. */
export type DomainStatus =
  | 'active'
  | 'failed'
  | 'pending';

/** Selects e-mails. An e-mail must match all given fields. */
export type EmailFilter = {
  /** Only e-mails accepted at or after this time */
  createdAfter?: string | null | undefined;
  /** Only e-mails accepted before this time */
  createdBefore?: string | null | undefined;
  /** Only e-mails of this sending domain: its name, or its id. The id also finds e-mails of a removed domain */
  domain?: string | null | undefined;
  /** Only e-mails from this address */
  from?: string | null | undefined;
  /** Only e-mails whose latest event is this one */
  lastEvent?: LastEvent | null | undefined;
  /** Only e-mails that were accepted with `scheduledAt`, sent or not */
  scheduled?: boolean | null | undefined;
  /** Only e-mails with this status */
  status?: EmailStatus | null | undefined;
  /** Only e-mails whose subject starts with this text, ignoring case */
  subject?: string | null | undefined;
  /** Only e-mails with these tags, up to ten */
  tags?: Array<TagInput> | null | undefined;
  /** Only e-mails to this address, in To, Cc or Bcc */
  to?: string | null | undefined;
};

/** The status of an e-mail, or of one recipient. */
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

/** The latest event of an e-mail. */
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

/** Whether e-mails are delivered, or only recorded. */
export type Mode =
  | 'live'
  | 'test';

/** A set of scopes. */
export type Permission =
  | 'full_access'
  | 'sending_access';

/** The field of an e-mail that names a recipient. */
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

/** Selects requests. A request must match all given fields. */
export type RequestLogFilter = {
  /** Only requests with this API key */
  apiKeyId?: string | null | undefined;
  /** Only requests answered at or after this time */
  createdAfter?: string | null | undefined;
  /** Only requests answered before this time */
  createdBefore?: string | null | undefined;
  /** Only requests with this HTTP method */
  method?: string | null | undefined;
  /** Only requests with this response status, or with this class of statuses, such as `4xx` */
  status?: string | null | undefined;
};

/** The new time of a scheduled e-mail. */
export type RescheduleEmailInput = {
  /** The new time, at most 72 hours from now. A time up to 60 seconds in the past means now */
  scheduledAt: string;
};

/** How to rotate the signing secret of a webhook. */
export type RotateWebhookSecretInput = {
  /** Number of hours during which calls are signed with both the old and the new secret */
  overlapHours?: number | null | undefined;
};

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
  /** Only these e-mails, at most 100 */
  emailId?: Array<string> | null | undefined;
  /** End: a date (inclusive) or a timestamp with an offset (exclusive). Limited to the current time, which is the default */
  endDate?: string | null | undefined;
  /** The same as `startDate` */
  from?: string | null | undefined;
  /** Length of a period; without `dimensions` it implies `dimensions=period`. Weeks begin on Monday */
  granularity?: StatsGranularity | null | undefined;
  /** Further groups: provider, ip, host, bounce_class, api_key, and `tags.` with a key. provider: the mailbox provider, or the domain; ip and host: the server that answered; bounce_class: the reason of the bounce; api_key: the key that submitted the e-mail */
  groupBy?: Array<string> | null | undefined;
  /** The metrics: accepted, sent, delivered, delivery_delayed, bounced, bounced_permanent, bounced_transient, bounced_undetermined, failed, complained, suppressed, canceled, unsubscribed, opened, clicked, unique_opened, unique_clicked, delivery_rate, bounce_rate, complaint_rate, unsubscribe_rate, open_rate, click_rate. All if absent */
  metrics?: Array<string> | null | undefined;
  /** Percentiles of the delivery time: p50, p95, p99 */
  percentiles?: Array<string> | null | undefined;
  /** Start: a date (its beginning in `timezone`) or a timestamp with an offset. Six days before the end if absent */
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
};

/** An address to suppress. */
export type SuppressionInput = {
  /** A domain of this account: only e-mails from this domain are affected. Null: all e-mails of the account */
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

/** The e-mails that a suppression affects. */
export type SuppressionScope =
  | 'account'
  | 'domain';

/** A tag of an e-mail. */
export type TagInput = {
  /** The key: 1 to 50 letters, digits, `_`, `.` or `-` */
  key: string;
  /** The value, at most 50 characters */
  value: string;
};

/** Whether e-mails of a domain require TLS. */
export type TlsPolicy =
  | 'enforced'
  | 'opportunistic';

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
  /** A name of your choice */
  name?: string | null | undefined;
  /** `full_access` has every scope, `sending_access` only `emails.send`. Cannot be combined with `scopes` */
  permission?: Permission | null | undefined;
  /** The scopes of the key. Cannot be combined with `permission` */
  scopes?: Array<string> | null | undefined;
};

/** Changes of the settings of a domain. Absent fields are not changed. */
export type UpdateDomainInput = {
  /** Days after which the text, HTML and attachments of settled e-mails are deleted; null: the period of the service, which is the longest possible */
  bodyRetentionDays?: number | null | undefined;
  /** Days after which captured messages are deleted; null: the period of the service, the longest possible */
  capturedRetentionDays?: number | null | undefined;
  /** Whether to track clicks, unless an e-mail says otherwise. Takes effect once the `Tracking` record is verified */
  clickTracking?: boolean | null | undefined;
  /** `shared`: recipients of one e-mail at the same domain are sent in one SMTP transaction and share a return path. `per_recipient`: each recipient has a transaction and a return path of its own, so that every bounce and complaint can be assigned to one recipient without further proof; sending takes longer */
  envelope?: EnvelopePolicy | null | undefined;
  /** Whether to track opens, unless an e-mail says otherwise. Takes effect once the `Tracking` record is verified */
  openTracking?: boolean | null | undefined;
  /** `opportunistic`: use TLS if the receiving server offers it. `enforced`: send only over TLS to a server whose certificate matches its name (or its DANE records); otherwise the e-mail is deferred and retried */
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
  /** Event types to receive, or `["*"]` for all. Types: `email.queued`, `email.scheduled`, `email.sent`, `email.delivered`, `email.bounced`, `email.failed`, `email.opened`, `email.clicked`, `email.complained`, `email.suppressed`, `email.canceled`, `email.unsubscribed`, `email.delivery_delayed`, `domain.created`, `domain.updated`, `domain.deleted`, `suppression.added`, `suppression.removed`, `webhook.test`, `webhook.disabled`, `account.allowance_warning`, `account.paused`, `account.resumed`. `email.delivery_delayed` is another name for a temporary `email.failed`, for webhooks that list it */
  events?: Array<string> | null | undefined;
  /** Whether to receive opens and clicks of bots (`is_bot: true`), such as link scanners and image proxies */
  includeBots?: boolean | null | undefined;
  /** Enabling resets the failure state. Disabling marks pending events as failed; they can be replayed later */
  status?: WebhookStatus | null | undefined;
  /** The https URL to call: a public address, without user name, fragment, or the port of another service (mail, databases, …) */
  url?: string | null | undefined;
};

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

export type DomainsQueryVariables = Exact<{ [key: string]: never; }>;


export type DomainsQuery = { __typename: 'Query', domains: Array<{ __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null }> };

export type DomainPartsFragment = { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> };

export type DomainQueryVariables = Exact<{
  id: string;
}>;


export type DomainQuery = { __typename: 'Query', domain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } | null };

export type CreateDomainMutationVariables = Exact<{
  input: CreateDomainInput;
}>;


export type CreateDomainMutation = { __typename: 'Mutation', createDomain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type VerifyDomainMutationVariables = Exact<{
  id: string;
}>;


export type VerifyDomainMutation = { __typename: 'Mutation', verifyDomain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type UpdateDomainMutationVariables = Exact<{
  id: string;
  input: UpdateDomainInput;
}>;


export type UpdateDomainMutation = { __typename: 'Mutation', updateDomain: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type RotateDomainKeyMutationVariables = Exact<{
  id: string;
}>;


export type RotateDomainKeyMutation = { __typename: 'Mutation', rotateDomainKey: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type CancelDomainKeyRotationMutationVariables = Exact<{
  id: string;
}>;


export type CancelDomainKeyRotationMutation = { __typename: 'Mutation', cancelDomainKeyRotation: { __typename: 'Domain', id: string, name: string, status: DomainStatus, createdAt: string, verifiedAt: string | null, lastCheckedAt: string | null, warningSince: string | null, openTracking: boolean, clickTracking: boolean, trackingPrivacy: boolean, trackingExclude: Array<string>, tls: TlsPolicy, envelope: EnvelopePolicy, dkim: { __typename: 'Dkim', signingSince: string | null, rotation: { __typename: 'DkimRotation', status: DkimRotationStatus, startedAt: string, keepOldUntil: string | null } | null, cnames: Array<{ __typename: 'DkimCname', name: string, value: string }> }, records: Array<{ __typename: 'DomainRecord', record: string, type: string, name: string, value: string, ttl: string, status: DomainRecordStatus, required: boolean, lastCheckedAt: string | null, observed: Array<string>, error: string | null }> } };

export type DeleteDomainMutationVariables = Exact<{
  id: string;
}>;


export type DeleteDomainMutation = { __typename: 'Mutation', deleteDomain: { __typename: 'Deleted', id: string } };

export type DomainLiveSubscriptionVariables = Exact<{
  domainId: string;
}>;


export type DomainLiveSubscription = { __typename: 'Subscription', domainStats: { __typename: 'DomainStats', accepted: number, delivered: number, deferred: number, bounced: number, failed: number, complained: number, suppressed: number, opened: number, clicked: number } };

export type EmailsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: EmailFilter | null | undefined;
}>;


export type EmailsQuery = { __typename: 'Query', emails: { __typename: 'EmailConnection', nodes: Array<{ __typename: 'Email', id: string, subject: string, from: string, to: Array<string>, status: EmailStatus, lastEvent: LastEvent, createdAt: string, mode: Mode }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type EmailQueryVariables = Exact<{
  id: string;
}>;


export type EmailQuery = { __typename: 'Query', email: { __typename: 'Email', id: string, mode: Mode, status: EmailStatus, lastEvent: LastEvent, from: string, to: Array<string>, cc: Array<string>, bcc: Array<string>, replyTo: Array<string>, subject: string, createdAt: string, scheduledAt: string | null, deliveredAt: string | null, messageId: string, domainId: string, retryOf: string | null, html: string | null, text: string | null, tags: Array<{ __typename: 'Tag', key: string, value: string }>, headers: Array<{ __typename: 'Header', name: string, value: string }>, attachments: Array<{ __typename: 'Attachment', id: string, filename: string, contentType: string, size: number, downloadUrl: string }>, tracking: { __typename: 'Tracking', opens: boolean, clicks: boolean } | null, recipients: Array<{ __typename: 'Recipient', address: string, type: RecipientType, status: EmailStatus, attempts: number, nextAttemptAt: string | null, smtp: { __typename: 'SmtpReply', code: number | null, enhanced: string | null, text: string, mx: string | null, ip: string | null, tls: string | null } | null, visits: { __typename: 'Visits', opens: number, clicks: number, botOpens: number, botClicks: number } | null }>, explanation: { __typename: 'Explanation', recipients: Array<{ __typename: 'RecipientExplanation', address: string, state: EmailStatus, because: string, until: string | null, givesUpAt: string | null }> } | null, events: { __typename: 'EmailEventConnection', nodes: Array<{ __typename: 'EmailEvent', id: string, type: string, createdAt: string, data: unknown }> }, attempts: { __typename: 'AttemptConnection', nodes: Array<{ __typename: 'Attempt', id: string, recipient: string, number: number, outcome: AttemptOutcome, phase: string | null, sourceIp: string | null, provider: string | null, startedAt: string, endedAt: string, tlsPolicy: AttemptTlsPolicy | null, smtp: { __typename: 'SmtpReply', code: number | null, enhanced: string | null, text: string, mx: string | null, ip: string | null, tls: string | null } | null, security: { __typename: 'AttemptSecurity', version: string, cipher: string | null, verified: boolean, policy: AttemptTlsPolicy } | null }> } } | null };

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

export type EventStreamSubscriptionVariables = Exact<{
  types?: Array<string> | string | null | undefined;
}>;


export type EventStreamSubscription = { __typename: 'Subscription', emailEvents: { __typename: 'Event', id: string, type: string, createdAt: string, emailId: string | null, recipient: string | null, data: unknown } };

export type GettingStartedQueryVariables = Exact<{ [key: string]: never; }>;


export type GettingStartedQuery = { __typename: 'Query', domains: Array<{ __typename: 'Domain', id: string, name: string, status: DomainStatus }>, apiKeys: Array<{ __typename: 'ApiKey', id: string, name: string, enabled: boolean }>, emails: { __typename: 'EmailConnection', nodes: Array<{ __typename: 'Email', id: string, status: EmailStatus, from: string }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type InboxQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: CapturedEmailFilter | null | undefined;
}>;


export type InboxQuery = { __typename: 'Query', capturedEmails: { __typename: 'CapturedEmailConnection', nodes: Array<{ __typename: 'CapturedEmail', id: string, emailId: string, mailFrom: string, rcptTo: Array<string>, size: number, createdAt: string, email: { __typename: 'Email', subject: string, html: string | null, text: string | null } | null }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type ClearInboxMutationVariables = Exact<{ [key: string]: never; }>;


export type ClearInboxMutation = { __typename: 'Mutation', deleteCapturedEmails: { __typename: 'DeletedCapturedEmails', count: number } };

export type RequestLogQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: RequestLogFilter | null | undefined;
}>;


export type RequestLogQuery = { __typename: 'Query', requestLog: { __typename: 'LoggedRequestConnection', nodes: Array<{ __typename: 'LoggedRequest', id: string, requestId: string, method: string, endpoint: string, responseStatus: number, error: string | null, ip: string | null, userAgent: string | null, apiKeyId: string, latencyMs: number, createdAt: string }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } };

export type OverviewQueryVariables = Exact<{
  today?: StatsInput | null | undefined;
  hours?: StatsInput | null | undefined;
}>;


export type OverviewQuery = { __typename: 'Query', usage: { __typename: 'Usage', plan: string, limit: number | null, used: number | null, resetsAt: string }, totals: { __typename: 'Stats', totals: { __typename: 'StatsValues', accepted: number | null, delivered: number | null, bounced: number | null, complained: number | null, deliveryRate: number | null, bounceRate: number | null, complaintRate: number | null, latencyMs: { __typename: 'StatsLatency', p50: number | null, p95: number | null, p99: number | null } | null } }, hours: { __typename: 'Stats', data: Array<{ __typename: 'StatsRow', period: string | null, accepted: number | null, delivered: number | null, bounced: number | null, failed: number | null }> | null }, domains: Array<{ __typename: 'Domain', id: string, name: string, status: DomainStatus }> };

export type AccountLiveSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type AccountLiveSubscription = { __typename: 'Subscription', accountStats: { __typename: 'AccountStats', to: string, accepted: number, sent: number, delivered: number, deferred: number, bounced: number, failed: number, complained: number, suppressed: number, opened: number, clicked: number } };

export type QueuesLiveSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type QueuesLiveSubscription = { __typename: 'Subscription', queues: Array<{ __typename: 'Queue', domain: string, provider: string, recipients: number, oldestDueAt: string | null, nextAttemptAt: string | null, reason: string, host: string | null, since: string }> };

export type StatisticsQueryVariables = Exact<{
  input?: StatsInput | null | undefined;
}>;


export type StatisticsQuery = { __typename: 'Query', stats: { __typename: 'Stats', approximate: Array<string>, totals: { __typename: 'StatsValues', accepted: number | null, delivered: number | null, bounced: number | null, complained: number | null, uniqueOpened: number | null, uniqueClicked: number | null, deliveryRate: number | null, bounceRate: number | null, complaintRate: number | null, openRate: number | null, clickRate: number | null }, data: Array<{ __typename: 'StatsRow', period: string | null, domainId: string | null, provider: string | null, bounceClass: string | null, accepted: number | null, delivered: number | null, bounced: number | null, complained: number | null, uniqueOpened: number | null, uniqueClicked: number | null }> | null } };

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

export type WebhookPartsFragment = { __typename: 'Webhook', id: string, url: string, events: Array<string>, domainIds: Array<string> | null, includeBots: boolean, status: WebhookStatus, disabledReason: WebhookDisabledReason | null, failingSince: string | null, previousSecretExpiresAt: string | null, createdAt: string };

export type WebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhooksQuery = { __typename: 'Query', webhooks: Array<{ __typename: 'Webhook', id: string, url: string, events: Array<string>, domainIds: Array<string> | null, includeBots: boolean, status: WebhookStatus, disabledReason: WebhookDisabledReason | null, failingSince: string | null, previousSecretExpiresAt: string | null, createdAt: string }> };

export type WebhookQueryVariables = Exact<{
  id: string;
}>;


export type WebhookQuery = { __typename: 'Query', webhook: { __typename: 'Webhook', id: string, url: string, events: Array<string>, domainIds: Array<string> | null, includeBots: boolean, status: WebhookStatus, disabledReason: WebhookDisabledReason | null, failingSince: string | null, previousSecretExpiresAt: string | null, createdAt: string } | null };

export type WebhookDeliveriesQueryVariables = Exact<{
  id: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  filter?: WebhookDeliveryFilter | null | undefined;
}>;


export type WebhookDeliveriesQuery = { __typename: 'Query', webhook: { __typename: 'Webhook', id: string, deliveries: { __typename: 'WebhookDeliveryConnection', nodes: Array<{ __typename: 'WebhookDelivery', id: string, deliveryId: string, type: string, status: WebhookDeliveryStatus, attempts: number, lastStatus: number | null, lastError: string | null, nextAttemptAt: string | null, createdAt: string }>, pageInfo: { __typename: 'PageInfo', hasNextPage: boolean, endCursor: string | null } } } | null };

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

export const AccountLiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"AccountLive"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accountStats"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"to"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"accepted"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"sent"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"delivered"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deferred"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"failed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"complained"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"suppressed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"opened"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clicked"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"d51e4e7a290379428aaf5335b64cf29d4d9a99f609362cf0bcc85d96cb18601f"} as unknown as TypedDocumentNode<AccountLiveSubscription, AccountLiveSubscriptionVariables>;

export const AddSuppressionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AddSuppressions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AddSuppressionsInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"addSuppressions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"e33c7f14b74a0d7022b06ad48d69baa70cc928ad6ca23ee1d68e94621ccb3a74"} as unknown as TypedDocumentNode<AddSuppressionsMutation, AddSuppressionsMutationVariables>;

export const ApiKeysDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ApiKeys"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"apiKeys"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"mode"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"permission"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"scopes"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"domainIds"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"allowedIps"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"enabled"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastUsedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"domains"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"0dc77ec766f19068e57c8a7fd419bdf115cd5386a7c6b52ef825b15103c51171"} as unknown as TypedDocumentNode<ApiKeysQuery, ApiKeysQueryVariables>;

export const CancelDomainKeyRotationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelDomainKeyRotation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cancelDomainKeyRotation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DomainParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DomainParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Domain"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"warningSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"openTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clickTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingPrivacy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingExclude"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"envelope"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"dkim"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rotation"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"startedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"keepOldUntil"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cnames"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"records"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"record"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ttl"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"required"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"observed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"19ecb4c951058d0ee3735af911505d92faf1344fdc5f622ffecad59af1186a32"} as unknown as TypedDocumentNode<CancelDomainKeyRotationMutation, CancelDomainKeyRotationMutationVariables>;

export const CancelEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CancelEmail"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cancelEmail"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"dff2cc24a3980304f395382be10483ca093bba6915eaa307f459ad3653ddee3c"} as unknown as TypedDocumentNode<CancelEmailMutation, CancelEmailMutationVariables>;

export const ClearInboxDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ClearInbox"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteCapturedEmails"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"count"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"e693f669c7a79c3d4f6e426e527cf09e56dac7ec40c909b5c24e0546e4af3806"} as unknown as TypedDocumentNode<ClearInboxMutation, ClearInboxMutationVariables>;

export const CreateApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateApiKey"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateApiKeyInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createApiKey"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"token"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"44b2563e4de43b7e0cd4d33d2b654bc5f0f3d7af9082134050825e9e760e38ad"} as unknown as TypedDocumentNode<CreateApiKeyMutation, CreateApiKeyMutationVariables>;

export const CreateDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateDomain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateDomainInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createDomain"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DomainParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DomainParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Domain"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"warningSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"openTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clickTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingPrivacy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingExclude"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"envelope"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"dkim"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rotation"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"startedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"keepOldUntil"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cnames"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"records"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"record"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ttl"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"required"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"observed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"4d1fdf51b21cc7acf97bbec02d7f8a625e327f7ecf93cf238f8dc07cb81b7f70"} as unknown as TypedDocumentNode<CreateDomainMutation, CreateDomainMutationVariables>;

export const CreateWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateWebhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateWebhookInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createWebhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"secret"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"b4d96c3eda3303c8358d7ce3b221d7357edf04cd9c0761b9891c8930185d1926"} as unknown as TypedDocumentNode<CreateWebhookMutation, CreateWebhookMutationVariables>;

export const DeleteApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteApiKey"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteApiKey"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"709419c76d14edd3d9a36efa99e4ab2feeb10ef8ee2586e6fd606b62b7df36a7"} as unknown as TypedDocumentNode<DeleteApiKeyMutation, DeleteApiKeyMutationVariables>;

export const DeleteDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteDomain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteDomain"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"bce70c1b00ea3b39d24601bac9ac094a78d4a5d4a8107cb10ac60814726b9885"} as unknown as TypedDocumentNode<DeleteDomainMutation, DeleteDomainMutationVariables>;

export const DeleteWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteWebhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteWebhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"d03ff5c179eaf1b986c8c7cfa350620166a761e9acc2e4fb3ef0f038c701ad68"} as unknown as TypedDocumentNode<DeleteWebhookMutation, DeleteWebhookMutationVariables>;

export const DomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Domain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"domain"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DomainParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DomainParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Domain"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"warningSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"openTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clickTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingPrivacy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingExclude"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"envelope"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"dkim"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rotation"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"startedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"keepOldUntil"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cnames"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"records"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"record"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ttl"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"required"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"observed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"f0b955eddaeb899fc52f6ff839e6dc3c9aeacde39d2d14df436af2a1defd9ae4"} as unknown as TypedDocumentNode<DomainQuery, DomainQueryVariables>;

export const DomainLiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DomainLive"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"domainId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"domainStats"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"domainId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"domainId"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"delivered"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deferred"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"failed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"complained"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"suppressed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"opened"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clicked"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"bc860db0bdd1fa57f357e2e57d9591d1d08c2144c8a5b6a80cfceef8d59c519d"} as unknown as TypedDocumentNode<DomainLiveSubscription, DomainLiveSubscriptionVariables>;

export const DomainsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Domains"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"domains"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"e9e34e03acfdaef82bc354e89937e2cc0c0a4523ba4165ba9b8767298f17cfdf"} as unknown as TypedDocumentNode<DomainsQuery, DomainsQueryVariables>;

export const EmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Email"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"mode"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastEvent"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"from"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"to"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"cc"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bcc"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"replyTo"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"subject"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tags"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"scheduledAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deliveredAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"messageId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"domainId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"retryOf"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"html"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"headers"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attachments"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"filename"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"contentType"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"size"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"downloadUrl"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"tracking"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"opens"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clicks"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recipients"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"smtp"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"enhanced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"mx"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ip"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"visits"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"opens"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clicks"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"botOpens"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"botClicks"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"explanation"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"recipients"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"address"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"state"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"because"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"until"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"givesUpAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"data"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"100"}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"number"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"outcome"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"phase"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"sourceIp"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"provider"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"startedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tlsPolicy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"smtp"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"enhanced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"mx"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ip"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"security"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"cipher"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verified"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"policy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"dc8d0b777cb791a331d6e07eaf872d30f74edff51720273c514e498c23129f19"} as unknown as TypedDocumentNode<EmailQuery, EmailQueryVariables>;

export const EmailEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"EmailEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"emailId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"emailId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"emailId"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"emailId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"a42629bdf4650b6a93712d7e3c302480bfe0d31c7b421d4e8f2afca2d566272c"} as unknown as TypedDocumentNode<EmailEventsSubscription, EmailEventsSubscriptionVariables>;

export const EmailsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Emails"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"EmailFilter"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emails"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"subject"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"from"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"to"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastEvent"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"mode"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endCursor"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"5e8470948b66c72acedf63cdeae66a4af51552fa0fd6087502fe991655f321cc"} as unknown as TypedDocumentNode<EmailsQuery, EmailsQueryVariables>;

export const EventStreamDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"EventStream"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"types"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"types"},"value":{"kind":"Variable","name":{"kind":"Name","value":"types"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"emailId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"data"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"37e8063aeccb1493e9fa1ea6f3e33e6eb749628aaa9165aceb88a18318a3d167"} as unknown as TypedDocumentNode<EventStreamSubscription, EventStreamSubscriptionVariables>;

export const GettingStartedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"GettingStarted"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"domains"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"apiKeys"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"enabled"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"emails"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"1"}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"from"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endCursor"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"f6273ae150e58690433262fec6b4da1679d98cda43a32d577ef19f5dd954e871"} as unknown as TypedDocumentNode<GettingStartedQuery, GettingStartedQueryVariables>;

export const InboxDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Inbox"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"CapturedEmailFilter"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"capturedEmails"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"emailId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"mailFrom"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rcptTo"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"email"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"subject"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"html"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"size"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endCursor"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"263a331b21c159a0941ef3063339f1c46ebeff1b71ece64705d75632fc068090"} as unknown as TypedDocumentNode<InboxQuery, InboxQueryVariables>;

export const OverviewDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Overview"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"today"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"StatsInput"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"hours"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"StatsInput"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"usage"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"plan"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"limit"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"used"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"resetsAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"totals"},"name":{"kind":"Name","value":"stats"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"today"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totals"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"delivered"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"complained"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deliveryRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounceRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"complaintRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"latencyMs"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"p50"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"p95"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"p99"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"hours"},"name":{"kind":"Name","value":"stats"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"hours"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"data"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"period"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"accepted"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"delivered"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"failed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"domains"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"2ff07aa6f6e5bcdb1c6449a99ae1d1ba6ab8807586736fd54c5d09cf7b352212"} as unknown as TypedDocumentNode<OverviewQuery, OverviewQueryVariables>;

export const QueuesLiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"QueuesLive"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"queues"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"domain"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"provider"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"recipients"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"oldestDueAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"reason"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"host"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"since"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"c06c839ec99ae212ec5c171dbfc8d25ad601d422b6f25303dadc720d729660e0"} as unknown as TypedDocumentNode<QueuesLiveSubscription, QueuesLiveSubscriptionVariables>;

export const RemoveSuppressionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RemoveSuppressions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RemoveSuppressionsInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"removeSuppressions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"email"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"message"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"c9fa1fab3ad3d5d50eef0ca9daafef96d89f970002865209984d70ff1c878d56"} as unknown as TypedDocumentNode<RemoveSuppressionsMutation, RemoveSuppressionsMutationVariables>;

export const ReplayWebhookEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReplayWebhookEvent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"webhookId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"replayWebhookEvent"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"webhookId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"webhookId"}}},{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"150e8d314ef035927f1cf5b64656097bdc325988a293831ad04d6ba86e0965a5"} as unknown as TypedDocumentNode<ReplayWebhookEventMutation, ReplayWebhookEventMutationVariables>;

export const RequestLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"RequestLog"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"RequestLogFilter"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"requestLog"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"requestId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"method"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endpoint"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ip"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"userAgent"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"apiKeyId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"latencyMs"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endCursor"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"9d927e5a9b02c9d9af7dbf3a6b4fd1349ddf8054fefe18fef7ab92a18648f2bc"} as unknown as TypedDocumentNode<RequestLogQuery, RequestLogQueryVariables>;

export const RescheduleEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RescheduleEmail"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RescheduleEmailInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rescheduleEmail"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"scheduledAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"4ccb274c7c69f8f42cdcb77d759665caf6d900dc3bef605314e792b9305b6f9a"} as unknown as TypedDocumentNode<RescheduleEmailMutation, RescheduleEmailMutationVariables>;

export const RetryEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RetryEmail"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"retryEmail"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"b32699960d2426127a2da20562f549af829ce38b6f936870963e6bfbdf1fa2a1"} as unknown as TypedDocumentNode<RetryEmailMutation, RetryEmailMutationVariables>;

export const RotateDomainKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RotateDomainKey"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rotateDomainKey"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DomainParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DomainParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Domain"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"warningSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"openTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clickTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingPrivacy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingExclude"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"envelope"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"dkim"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rotation"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"startedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"keepOldUntil"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cnames"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"records"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"record"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ttl"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"required"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"observed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"acbfcc4ca51c8fc1d3da27551bdb29fc7cb0a5bdcdba628693a5fe2ea0b8f6cf"} as unknown as TypedDocumentNode<RotateDomainKeyMutation, RotateDomainKeyMutationVariables>;

export const RotateWebhookSecretDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RotateWebhookSecret"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"RotateWebhookSecretInput"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"rotateWebhookSecret"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"secret"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"previousSecretExpiresAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"749ab4ff20d1e16a5c29dc1686b83c739cbd5a0e647319cbff9a8190fd14acab"} as unknown as TypedDocumentNode<RotateWebhookSecretMutation, RotateWebhookSecretMutationVariables>;

export const StatisticsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Statistics"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"StatsInput"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"stats"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"approximate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"totals"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"accepted"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"delivered"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"complained"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"uniqueOpened"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"uniqueClicked"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deliveryRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounceRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"complaintRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"openRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clickRate"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"data"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"period"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"domainId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"provider"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounceClass"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"accepted"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"delivered"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"bounced"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"complained"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"uniqueOpened"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"uniqueClicked"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"e99636d73a4aa0c2e2dfcc2a60769f99b120abf3020215a8a7074a9dafd2ca0a"} as unknown as TypedDocumentNode<StatisticsQuery, StatisticsQueryVariables>;

export const SuppressionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Suppressions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SuppressionFilter"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"suppressions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"email"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"origin"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"reason"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"scope"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"domainId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"evidence"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"recipient"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"smtpCode"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"enhancedCode"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"text"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"mx"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"feedbackType"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"at"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endCursor"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"3726cdf78b28ac574989cde2cf3cdd8954db290b1a6baa6ecd68c9205c08c66f"} as unknown as TypedDocumentNode<SuppressionsQuery, SuppressionsQueryVariables>;

export const TestWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"TestWebhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"testWebhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"3642e83bf3725cc4e516278d23559dc79304aeed215131806843afc271c8d725"} as unknown as TypedDocumentNode<TestWebhookMutation, TestWebhookMutationVariables>;

export const UpdateApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateApiKey"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateApiKeyInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateApiKey"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"enabled"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"053f77098455f495bbd0431ce8a748ecb0cb824aa75693f36594b36784114c95"} as unknown as TypedDocumentNode<UpdateApiKeyMutation, UpdateApiKeyMutationVariables>;

export const UpdateDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateDomain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateDomainInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateDomain"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DomainParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DomainParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Domain"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"warningSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"openTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clickTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingPrivacy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingExclude"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"envelope"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"dkim"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rotation"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"startedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"keepOldUntil"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cnames"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"records"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"record"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ttl"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"required"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"observed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"2987d1855ba8a7b189b5fa8a319eafd72e190ea5cc72c6571c3ad0136ca2ca95"} as unknown as TypedDocumentNode<UpdateDomainMutation, UpdateDomainMutationVariables>;

export const UpdateWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateWebhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateWebhookInput"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateWebhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WebhookParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WebhookParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Webhook"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"url"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"domainIds"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"includeBots"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"disabledReason"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"failingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"previousSecretExpiresAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"3f2aa74380e03277d48bf57176f4647776d90a6a265c7f387f3472d94c95b555"} as unknown as TypedDocumentNode<UpdateWebhookMutation, UpdateWebhookMutationVariables>;

export const UsageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Usage"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"usage"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"plan"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"unit"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"month"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"limit"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"used"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"remaining"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"resetsAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rateLimitPerSecond"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"c3011055743a6209b9e8f8526ac86ff8c8fc58d51491f0540c3c12dc7ec4ed57"} as unknown as TypedDocumentNode<UsageQuery, UsageQueryVariables>;

export const VerifyDomainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"VerifyDomain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"verifyDomain"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"DomainParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"DomainParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Domain"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"verifiedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"warningSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"openTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"clickTracking"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingPrivacy"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"trackingExclude"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"tls"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"envelope"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"dkim"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"rotation"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"startedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"keepOldUntil"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"cnames"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"records"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"record"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"name"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"value"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"ttl"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"required"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastCheckedAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"observed"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"c6a1afad3678182353cd34ec39c00c452126ef0f16fe084f665b7fa2b10225ae"} as unknown as TypedDocumentNode<VerifyDomainMutation, VerifyDomainMutationVariables>;

export const WebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Webhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WebhookParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WebhookParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Webhook"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"url"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"domainIds"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"includeBots"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"disabledReason"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"failingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"previousSecretExpiresAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"5538c3e38f2189d42ed3c48f1f4dd34eef270c145d6337efd8d30478eeb75f9f"} as unknown as TypedDocumentNode<WebhookQuery, WebhookQueryVariables>;

export const WebhookDeliveriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhookDeliveries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDeliveryFilter"}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deliveries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deliveryId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastStatus"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"lastError"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"endCursor"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"91d932b3680a7e9faba6850082974eea937bec472376c765c706b9c42310f7c7"} as unknown as TypedDocumentNode<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;

export const WebhookDeliveryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhookDelivery"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}},"directives":[]}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhook"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"delivery"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"deliveryId"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"type"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"attempts"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"payload"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"calls"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"20"}}],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"number"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"httpStatusCode"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"error"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"latencyMs"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"response"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"sentAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}}],"documentId":"3dff0bc1e7c03586f385d4282bb52110bc4d679cd9937e69bd6dc0b41365578b"} as unknown as TypedDocumentNode<WebhookDeliveryQuery, WebhookDeliveryQueryVariables>;

export const WebhooksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Webhooks"},"variableDefinitions":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhooks"},"arguments":[],"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WebhookParts"},"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WebhookParts"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Webhook"}},"directives":[],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"url"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"domainIds"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"includeBots"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"status"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"disabledReason"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"failingSince"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"previousSecretExpiresAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"createdAt"},"arguments":[],"directives":[]},{"kind":"Field","name":{"kind":"Name","value":"__typename"}}]}}],"documentId":"8866b2cd2b3ca6f53bc0e63621861a9100004be24bd53516e98e0814cf0318a7"} as unknown as TypedDocumentNode<WebhooksQuery, WebhooksQueryVariables>;
