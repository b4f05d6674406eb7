export { AttachmentFetcher } from './intake/attachment-fetcher.js';
export { attachmentProblems, attachmentsFrom, type AttachmentOptions } from './intake/attachment-rules.js';
export { EmailIntake } from './intake/email-intake.js';
export type {
  Accepted,
  AcceptedBatch,
  Attachment,
  BatchElement,
  Idempotency,
  Submission,
} from './intake/submission.js';
export type { Rule, RuleProblem } from './intake/rule.js';
export { conflictProblems } from './intake/conflict-rules.js';
export * from './intake/option-rules.js';
export { relayedOptions, type RelayedOptions } from './intake/relayed-options.js';
export * from './intake/submission-rules.js';
export { EmailLedger } from './ledger/email-ledger.js';
export type { ClaimRooms } from './ledger/claim-due.js';
export type { DeliveryJob, StoredContent } from './ledger/delivery-job.js';
export { CapturedMail, type CapturedPage, type CapturedView } from './captured-mail.js';
export { EmailRetry } from './changes/email-retry.js';
export { EmailSchedule } from './changes/email-schedule.js';
export { EmailQueries, type AttachmentView, type EmailView, type RecipientView } from './email-queries.js';
export type { EmailSummary } from './email-summary.js';
export { EmailsApiModule } from './emails-api.module.js';
export { EmailsModule } from './emails.module.js';
export { firstLink } from './first-link.js';
export type { EmailFilter } from './list/email-filter.js';
export { EmailList } from './list/email-list.js';
export { HandOff } from './hand-off.js';
export {
  INBOUND_ROLES,
  InboundMail,
  type InboundLetter,
  type InboundPlace,
  type InboundRole,
} from './inbound/inbound-mail.js';
export { InboundStore, type StoredInbound } from './inbound/inbound-store.js';
export { MailMessage } from './mail-message.js';
export { EmailAttachments, type LinkedAttachmentView } from './reading/email-attachments.js';
export { EmailExplanation, type EmailExplanationView } from './reading/email-explanation.js';
export type { EarlierHostView } from './ledger/earlier-hosts.js';
export { EmailHistory, type AttemptView, type EventView } from './reading/email-history.js';
export { WAIT_KINDS, WAITS, type HeldView, type RecipientExplanation, type Wait } from './reading/explain-recipient.js';
export type { SmtpView } from './recipient-row.js';
export { Retention } from './retention.js';
export { OutgoingEnvelope } from './outgoing-envelope.js';
export { ReturnPath } from './return-path.js';
export { foreignSources } from './shaping/foreign-sources.js';
export { HeldQueues, type HeldQueue } from './shaping/held-queues.js';
export { QueueDepths } from './shaping/queue-depths.js';
export { shapingPlan } from './shaping/shaping-plan.js';
export { ShapingModule } from './shaping/shaping.module.js';
export { SharedShaping } from './shaping/shared-shaping.js';
export { sandboxResultRule, simulatedOutcome, type Simulation } from './simulator.js';
export { KeptStsPolicies } from './tls-policy/kept-sts-policies.js';
export { OutgoingTls } from './tls-policy/outgoing-tls.js';
export { TlsReporter } from './tls-reports/tls-reporter.js';
export { TlsResults } from './tls-reports/tls-results.js';
export { EmailUnsubscribe, type Unsubscription } from './unsubscribe/email-unsubscribe.js';
export { UnsubscribeLink } from './unsubscribe/unsubscribe-link.js';
export type { TlsReport } from './tls-reports/tls-report.js';
export { tlsReportOf } from './tls-reports/tls-report-of.js';
