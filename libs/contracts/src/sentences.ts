/**
 * What machine words mean to people: the dashboard and sentences of the service show these texts instead of the words. The
 * words themselves are part of the interface and do not change. A test compares each table with the words that exist.
 */

/** Ids of automations (libs/mta/src/throttling/throttling.json), behind "a server there says that …". */
export const THROTTLE_CAUSES: Readonly<Record<string, string>> = {
  'too-many-connections': 'we have too many connections',
  'sending-too-fast': 'we send too fast',
  'listed-address': 'our address is on a block list',
  reputation: 'our address has a poor reputation',
  busy: 'it has no capacity for us now',
  'google-unusual-rate': 'more emails than usual come from our address or domain',
  'google-rate-refused': 'far more emails than usual come from our address or domain',
  'google-low-reputation': 'our address or recent content has a low reputation',
  'microsoft-address-rate': 'our address is limited because of its reputation',
  'microsoft-busy': 'it is busy',
  'microsoft-banned': 'our address is on a block list of Microsoft, whose removal its owner must request',
  'outlook-reputation-rate': 'we send more than the reputation of our address allows',
  'outlook-busy': 'it is busy',
  'outlook-blocked': 'our network is on a block list of Microsoft',
  'yahoo-deferred-for-long': 'all emails from our address are deferred for hours',
  'yahoo-deferred': 'our emails are deferred because of complaints or an unusual volume',
  'yahoo-listed': 'our address is on a block list that Yahoo uses',
  'yahoo-resources': 'we send too much at once, or it has no capacity',
  'apple-reputation': 'our address is refused because of its reputation',
  'apple-busy': 'it is busy',
  'gmx-reputation': 'our address has a poor reputation or no matching PTR record',
  'gmx-busy': 'we send too much at once',
  't-online-refused': 'our address is unknown to its postmaster, or was blocked there',
  'orange-connections': 'we have too many connections',
  'orange-refused': 'our address is refused because of its reputation',
  'laposte-refused': 'we reached a limit, or our address is blocked',
  'mail-ru-limit': 'we send more than the reputation of our address allows',
  'proofpoint-blocked': 'our address is blocked by Proofpoint; its owner can request the removal',
  'barracuda-blocked': 'our address has a low reputation at Barracuda',
  'cisco-reputation': 'our address has a low reputation score',
  'qq-frequency': 'we send more often than is allowed now',
  'qq-suspected': 'our address is suspected of bulk mail',
  'netease-limit': 'we send too much within its time window',
  'comcast-rate': 'we send more than the reputation of our address allows',
  'comcast-blocked': 'our address is blocked',
  'charter-limit': 'we reached a limit, or our address is blocked',
  'warm-up-deferrals': 'too many emails from our new address were deferred',
};

/** Continues a sentence about a throttle. Automations of SHAPING_FILE have no text of their own. */
export const throttleCause = (rule: string): string =>
  Object.hasOwn(THROTTLE_CAUSES, rule)
    ? `because a server there says that ${THROTTLE_CAUSES[rule]}`
    : 'because of a reply of a server there';

/** Kinds of limits that hold a recipient back. */
export const HOLDS = {
  concurrency: 'As many deliveries as may be at once are in progress there',
  rate: 'The rate limit is reached',
  slow_down: 'Sending there is slowed down',
  suspended: 'Sending there is paused',
  warm_up: 'Our address is new there and has sent its share of today',
  dns: 'No name server answers',
} as const;

/** What a recipient waits for. */
export const WAITING_FOR = {
  schedule: 'scheduled for later',
  account: 'account blocked or paused',
  worker: 'due now',
  answer: 'being delivered',
  retry: 'waiting for the next attempt',
  shaping: 'held back',
} as const;

/** Why a call of a webhook failed. A response has its status instead, such as "HTTP 500". */
export const CALL_ERRORS = {
  target_refused: 'The address is not public',
  name_unresolved: 'The host name does not resolve',
  timeout: 'No response in time',
  tls_failed: 'The TLS connection failed',
  connection_failed: 'The connection failed',
  status_not_2xx: 'The response was no success',
  redirect_not_followed: 'The response was a redirect, which is not followed',
  endpoint_disabled: 'The webhook is disabled',
  secret_unreadable: 'The signing secret cannot be read with the master key',
} as const;

/** Why a webhook is disabled. */
export const DISABLED_BECAUSE = {
  gone: 'the endpoint answered 410 Gone',
  failing: 'no call succeeded for three days',
  manual: 'disabled by a person or an API key',
} as const;

/** Clients that are no people (libs/tracking/src/bots.json, and the reader of late bounces). */
export const BOTS: Readonly<Record<string, string>> = {
  apple_mpp: 'Apple Mail Privacy Protection',
  crawler: 'a crawler',
  gmail_proxy: 'the image proxy of Gmail',
  head_request: 'a request without content',
  outlook_scanner: 'a scanner of Microsoft',
  prefetch: 'a prefetch of a browser',
  preview: 'a link preview',
  scanner: 'a security scanner',
  script: 'a script',
  yahoo_proxy: 'the image proxy of Yahoo',
};

/** Why a recipient failed without a reply that refused it, before the colon of `reason`. */
export const FAILURES = {
  expired: 'Not delivered in time',
  domain_removed: 'The sending domain was removed',
  dropped: 'Dropped by the operator after a restore',
} as const;

/** Why an event about a domain was written. */
export const DOMAIN_CHANGES = {
  created: 'added',
  verified: 'verified',
  failed: 'verification failed',
  warning: 'required records are missing',
  recovered: 'required records are back',
  settings: 'settings changed',
  deleted: 'deleted',
  dkim_rotating: 'new DKIM key created',
  dkim_canceled: 'DKIM key rotation canceled',
  dkim_switched: 'signing switched to the new DKIM key',
  dkim_retired: 'old DKIM key removed',
} as const;

/** What required TLS in an attempt. */
export const TLS_POLICIES = {
  opportunistic: 'TLS if offered',
  enforced: 'TLS required by the sending domain',
  sts: 'TLS required by MTA-STS',
  sts_testing: 'MTA-STS in testing mode',
  dane: 'TLS required by DANE',
} as const;
