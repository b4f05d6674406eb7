// Generated from the definitions of the server by tools/generate.mjs. Do not edit.

export const ACCOUNT_STATUSES = [
  "active",
  "paused",
  "blocked",
  "overdue"
] as const;

export const DELIVERY_STATUSES = [
  "pending",
  "delivered",
  "failed"
] as const;

export const EMAIL_STATUSES = [
  "scheduled",
  "queued",
  "sending",
  "deferred",
  "delivered",
  "bounced",
  "failed",
  "complained",
  "suppressed",
  "canceled"
] as const;

export const EVENT_TYPES = [
  "email.queued",
  "email.scheduled",
  "email.sent",
  "email.delivered",
  "email.bounced",
  "email.failed",
  "email.opened",
  "email.clicked",
  "email.complained",
  "email.suppressed",
  "email.canceled",
  "email.unsubscribed",
  "email.delivery_delayed",
  "domain.created",
  "domain.updated",
  "domain.deleted",
  "suppression.added",
  "suppression.removed",
  "webhook.test",
  "webhook.disabled",
  "account.allowance_warning",
  "account.paused",
  "account.resumed"
] as const;

export const LAST_EVENTS = [
  "queued",
  "scheduled",
  "sent",
  "delivered",
  "delivery_delayed",
  "bounced",
  "failed",
  "complained",
  "opened",
  "clicked",
  "suppressed",
  "canceled"
] as const;

export const SUPPRESSION_ORIGINS = [
  "bounce",
  "complaint",
  "manual",
  "unsubscribe"
] as const;

export const LIMITS = {
  "recipientsPerField": 50,
  "subjectLength": 998,
  "headerCount": 50,
  "headerValueBytes": 2048,
  "structuredHeaderBytes": 32768,
  "tagCount": 50,
  "tagKeyLength": 50,
  "tagValueLength": 50,
  "attachmentCount": 10,
  "messageBytes": 10485760,
  "requestBytes": 16777216,
  "batchBytes": 52428800,
  "batchElements": 100,
  "scheduleAheadMs": 259200000,
  "scheduleGraceMs": 60000,
  "idempotencyKeyLength": 256,
  "idempotencyHours": 24,
  "webhooksPerAccount": 10,
  "domainsPerAccount": 1000,
  "bulkEntries": 100,
  "suppressionReasonLength": 500,
  "importBytes": 5242880,
  "importEntries": 100000,
  "accountNameLength": 100,
  "notifyAddresses": 10,
  "apiKeyNameLength": 100,
  "apiKeyDomains": 100,
  "allowedIps": 100,
  "passwordMinimum": 12,
  "passwordMaximum": 1000,
  "userNameLength": 100,
  "membersPerAccount": 500,
  "openInvitations": 100,
  "invitationsPerAccount": 50,
  "invitationsPerAddress": 3,
  "invitationsPerNetwork": 100,
  "freePlanUnits": 3000,
  "smtpRecipients": 100,
  "inboundBytes": 16777216,
  "listDefault": 20,
  "listMaximum": 100
} as const;

export const DOMAIN_FIELDS = {
  "name": {
    "help": "The part of sender addresses after the @; each subdomain must be added on its own. Stored in lower case, internationalised names as A-labels (`xn--…`). Public suffixes (`co.uk`, `github.io`), IP addresses, single labels and the names of the service itself are refused",
    "pattern": "^(?:[^\\u0000-,./:-@\\[-`{-\\u00a0]+\\.)+(?![0-9]+\\.?$)[^\\u0000-,./:-@\\[-`{-\\u00a0]+\\.?$",
    "maxLength": 253
  },
  "openTracking": {
    "help": "Whether to track opens, unless an email says otherwise. Takes effect once the `Tracking` record is verified"
  },
  "clickTracking": {
    "help": "Whether to track clicks, unless an email says otherwise. Takes effect once the `Tracking` record is verified"
  },
  "trackingPrivacy": {
    "help": "Whether opens and clicks are recorded without the address and the user agent of the client"
  },
  "trackingExclude": {
    "help": "Links that are not tracked, such as one-time links: a host (`login.example.com`, `*.example.com`), or a host with a path (`example.com/reset/*`), without a scheme; `*` stands for any text",
    "pattern": "^(?![Hh][Tt][Tt][Pp][Ss]?:)[!-~]+$",
    "maxLength": 200,
    "maxItems": 50
  },
  "tls": {
    "help": "`opportunistic`: use TLS if the receiving server offers it. `enforced`: send only over TLS to a server whose certificate matches its name (or its DANE records); otherwise the email is deferred and retried",
    "words": [
      "opportunistic",
      "enforced"
    ]
  },
  "envelope": {
    "help": "`shared`: recipients of one email at the same domain are sent in one SMTP transaction and share a return path. `per_recipient`: each recipient has a transaction and a return path of its own, so that every bounce and complaint can be assigned to one recipient without further proof; sending takes longer",
    "words": [
      "shared",
      "per_recipient"
    ]
  },
  "bodyRetentionDays": {
    "help": "Days after which the text, HTML and attachments of settled emails are deleted; null: the period of the service, which is the longest possible",
    "minimum": 1,
    "maximum": 365
  },
  "capturedRetentionDays": {
    "help": "Days after which captured messages are deleted; null: the period of the service, the longest possible",
    "minimum": 1,
    "maximum": 365
  }
} as const;
