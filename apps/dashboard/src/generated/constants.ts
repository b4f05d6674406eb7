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
  "account.resumed",
  "account.pool_changed"
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

export const BOTS = {
  "apple_mpp": "Apple Mail Privacy Protection",
  "crawler": "a crawler",
  "gmail_proxy": "the image proxy of Gmail",
  "head_request": "a request without content",
  "outlook_scanner": "a scanner of Microsoft",
  "prefetch": "a prefetch of a browser",
  "preview": "a link preview",
  "scanner": "a security scanner",
  "script": "a script",
  "yahoo_proxy": "the image proxy of Yahoo"
} as const;

export const CALL_ERRORS = {
  "target_refused": "The address is not public",
  "name_unresolved": "The host name does not resolve",
  "timeout": "No response in time",
  "tls_failed": "The TLS connection failed",
  "connection_failed": "The connection failed",
  "status_not_2xx": "The response was no success",
  "redirect_not_followed": "The response was a redirect, which is not followed",
  "endpoint_disabled": "The webhook is disabled",
  "secret_unreadable": "The signing secret cannot be read with the master key"
} as const;

export const DISABLED_BECAUSE = {
  "gone": "the endpoint answered 410 Gone",
  "failing": "no call succeeded for three days",
  "manual": "disabled by a person or an API key"
} as const;

export const DOMAIN_CHANGES = {
  "created": "added",
  "verified": "verified",
  "failed": "verification failed",
  "warning": "required records are missing",
  "recovered": "required records are back",
  "settings": "settings changed",
  "deleted": "deleted",
  "dkim_rotating": "new DKIM key created",
  "dkim_canceled": "DKIM key rotation canceled",
  "dkim_switched": "signing switched to the new DKIM key",
  "dkim_retired": "old DKIM key removed"
} as const;

export const FAILURES = {
  "expired": "Not delivered in time",
  "domain_removed": "The sending domain was removed",
  "dropped": "Dropped by the operator after a restore"
} as const;

export const HOLDS = {
  "concurrency": "As many deliveries as may be at once are in progress there",
  "rate": "The rate limit is reached",
  "slow_down": "Sending there is slowed down",
  "suspended": "Sending there is paused",
  "warm_up": "Our address is new there and has sent its share of today",
  "dns": "No name server answers"
} as const;

export const THROTTLE_CAUSES = {
  "too-many-connections": "we have too many connections",
  "sending-too-fast": "we send too fast",
  "listed-address": "our address is on a block list",
  "reputation": "our address has a poor reputation",
  "busy": "it has no capacity for us now",
  "google-unusual-rate": "more emails than usual come from our address or domain",
  "google-rate-refused": "far more emails than usual come from our address or domain",
  "google-low-reputation": "our address or recent content has a low reputation",
  "microsoft-address-rate": "our address is limited because of its reputation",
  "microsoft-busy": "it is busy",
  "microsoft-banned": "our address is on a block list of Microsoft, whose removal its owner must request",
  "outlook-reputation-rate": "we send more than the reputation of our address allows",
  "outlook-busy": "it is busy",
  "outlook-blocked": "our network is on a block list of Microsoft",
  "yahoo-deferred-for-long": "all emails from our address are deferred for hours",
  "yahoo-deferred": "our emails are deferred because of complaints or an unusual volume",
  "yahoo-listed": "our address is on a block list that Yahoo uses",
  "yahoo-resources": "we send too much at once, or it has no capacity",
  "apple-reputation": "our address is refused because of its reputation",
  "apple-busy": "it is busy",
  "gmx-reputation": "our address has a poor reputation or no matching PTR record",
  "gmx-busy": "we send too much at once",
  "t-online-refused": "our address is unknown to its postmaster, or was blocked there",
  "orange-connections": "we have too many connections",
  "orange-refused": "our address is refused because of its reputation",
  "laposte-refused": "we reached a limit, or our address is blocked",
  "mail-ru-limit": "we send more than the reputation of our address allows",
  "proofpoint-blocked": "our address is blocked by Proofpoint; its owner can request the removal",
  "barracuda-blocked": "our address has a low reputation at Barracuda",
  "cisco-reputation": "our address has a low reputation score",
  "qq-frequency": "we send more often than is allowed now",
  "qq-suspected": "our address is suspected of bulk mail",
  "netease-limit": "we send too much within its time window",
  "comcast-rate": "we send more than the reputation of our address allows",
  "comcast-blocked": "our address is blocked",
  "charter-limit": "we reached a limit, or our address is blocked",
  "warm-up-deferrals": "too many emails from our new address were deferred"
} as const;

export const TLS_POLICIES = {
  "opportunistic": "TLS if offered",
  "enforced": "TLS required by the sending domain",
  "sts": "TLS required by MTA-STS",
  "sts_testing": "MTA-STS in testing mode",
  "dane": "TLS required by DANE"
} as const;

export const WAITING_FOR = {
  "schedule": "scheduled for later",
  "account": "account blocked or paused",
  "worker": "due now",
  "answer": "being delivered",
  "retry": "waiting for the next attempt",
  "shaping": "held back"
} as const;

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
  "rescheduleMs": 2592000000,
  "scheduleGraceMs": 60000,
  "idempotencyKeyLength": 256,
  "idempotencyHours": 24,
  "webhooksPerAccount": 10,
  "domainsPerAccount": 1000,
  "bulkEntries": 100,
  "suppressionReasonLength": 500,
  "importBytes": 5242880,
  "importEntries": 100000,
  "judgedRecipients": 100,
  "exactUniqueCount": 4000,
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

/** Of providers and of their queues. */
export const PROVIDER_LABELS: Readonly<Record<string, string>> = {
  "google": "Google",
  "microsoft": "Microsoft",
  "outlook": "Microsoft",
  "yahoo": "Yahoo",
  "apple": "Apple",
  "united_internet": "United Internet",
  "gmx": "United Internet",
  "telekom": "Telekom",
  "t-online": "Telekom",
  "orange": "Orange",
  "laposte": "La Poste",
  "free": "Free",
  "sfr": "SFR",
  "mail_ru": "Mail.ru",
  "mail-ru": "Mail.ru",
  "yandex": "Yandex",
  "proofpoint": "Proofpoint",
  "mimecast": "Mimecast",
  "barracuda": "Barracuda",
  "cisco": "Cisco",
  "zoho": "Zoho",
  "fastmail": "Fastmail",
  "proton": "Proton",
  "naver": "Naver",
  "daum": "Daum",
  "tencent": "Tencent",
  "qq": "Tencent",
  "netease": "NetEase",
  "comcast": "Comcast",
  "charter": "Charter",
  "cox": "Cox",
  "rackspace": "Rackspace",
  "ovh": "OVH",
  "libero": "Libero",
  "seznam": "Seznam",
  "freenet": "Freenet"
};

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
