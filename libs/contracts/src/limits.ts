/** Limits of the interfaces. Reasons: docs/decisions/015-message-rules.md and 016-idempotency-and-batches.md. */
export const LIMITS = {
  recipientsPerField: 50,
  subjectLength: 998,
  headerCount: 50,
  headerValueBytes: 2048,
  /** Of header fields with a grammar of their own, such as References, which grows with each reply. */
  structuredHeaderBytes: 32_768,
  tagCount: 50,
  tagKeyLength: 50,
  tagValueLength: 50,
  attachmentCount: 10,
  /** Decoded attachments, html, text, subject and custom headers together, in bytes. */
  messageBytes: 10_485_760,
  /** Body of one request, in bytes. Base64 makes a file of 10 MiB a third larger. */
  requestBytes: 16 * 1024 * 1024,
  batchBytes: 50 * 1024 * 1024,
  batchElements: 100,
  scheduleAheadMs: 72 * 3600 * 1000,
  /** From the acceptance of an email to the time that it is rescheduled to: until then, retention keeps all content. */
  rescheduleMs: 30 * 24 * 3600 * 1000,
  /** A scheduled time that is this far in the past still means "now". */
  scheduleGraceMs: 60_000,
  idempotencyKeyLength: 256,
  idempotencyHours: 24,
  webhooksPerAccount: 10,
  domainsPerAccount: 1000,
  bulkEntries: 100,
  suppressionReasonLength: 500,
  /** Size of a CSV file with suppressions. */
  importBytes: 5 * 1024 * 1024,
  importEntries: 100_000,
  /** Settled recipients from which a rate is judged: with fewer it says nothing. */
  judgedRecipients: 100,
  /** Unique counts up to here are exact; larger ones have a standard error. */
  exactUniqueCount: 4_000,
  accountNameLength: 100,
  notifyAddresses: 10,
  apiKeyNameLength: 100,
  apiKeyDomains: 100,
  allowedIps: 100,
  passwordMinimum: 12,
  passwordMaximum: 1000,
  userNameLength: 100,
  membersPerAccount: 500,
  openInvitations: 100,
  /** Invitations within a day, by account, invited address and client network. */
  invitationsPerAccount: 50,
  invitationsPerAddress: 3,
  invitationsPerNetwork: 100,
  freePlanUnits: 3000,
  smtpRecipients: 100,
  /** Size of a message to the inbound listener: our largest message in base64, with a report around it. */
  inboundBytes: 16 * 1024 * 1024,
  listDefault: 20,
  listMaximum: 100,
} as const;

/**
 * Whether a text has more characters than permitted. Characters are code points, as in `maxLength` of JSON Schema: a character
 * beyond U+FFFF counts once, although it has two units in a string.
 */
export const isLongerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);

const LONG_MARK_RUN = /(\p{M}{30})\p{M}+/gu;

/**
 * The text with at most 30 combining marks in a row, as in the Stream-Safe Text Format (UAX #15 section 13). Call it before
 * `normalize` on text of strangers: normalization sorts the marks of a character in quadratic time.
 */
export const streamSafe = (text: string): string => text.replace(LONG_MARK_RUN, '$1');
