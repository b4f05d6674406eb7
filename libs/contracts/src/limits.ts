/** Limits of the interface (interface.md, "Limits") and of its decisions (D-13…D-19). */
export const LIMITS = {
  recipientsPerField: 50,
  subjectLength: 998,
  headerCount: 50,
  headerValueBytes: 2048,
  tagCount: 50,
  tagKeyLength: 50,
  tagValueLength: 50,
  attachmentCount: 10,
  /** Decoded attachments + html + text + subject + custom headers, in bytes. */
  messageBytes: 10_485_760,
  /** Body of one request, in bytes; base64 makes a 10 MiB file a third larger. */
  requestBytes: 16 * 1024 * 1024,
  batchBytes: 50 * 1024 * 1024,
  batchElements: 100,
  scheduleAheadMs: 72 * 3600 * 1000,
  /** A schedule this far in the past still means "now" (D-17). */
  scheduleGraceMs: 60_000,
  idempotencyKeyLength: 256,
  idempotencyHours: 24,
  webhooksPerAccount: 10,
  domainsPerAccount: 1000,
  bulkEntries: 100,
  suppressionReasonLength: 500,
  /** Of a CSV file with suppressions. */
  importBytes: 5 * 1024 * 1024,
  importEntries: 100_000,
  apiKeyNameLength: 100,
  apiKeyDomains: 100,
  allowedIps: 100,
  freePlanUnits: 3000,
  smtpRecipients: 100,
  /** Of what comes in at the inbound door: our largest mail in base64, and a report around it. */
  inboundBytes: 16 * 1024 * 1024,
  listDefault: 20,
  listMaximum: 100,
} as const;
