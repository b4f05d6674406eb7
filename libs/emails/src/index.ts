export { EmailsApiModule, EmailsModule } from './emails.module.js';
export { attachmentProblems } from './intake/attachments/attachment-rules.js';
export { EmailIntake } from './intake/email-intake.js';
export { updateScheduledAt } from './intake/insert-emails.js';
export { searchKey } from './intake/recipients.js';
export { newSubmission } from './intake/new-submission.js';
export type { AcceptedBatch, BatchElement, Idempotency, Submission } from './intake/submission.js';
export { relayedOptions, type RelayedOptions } from './intake/rules/relayed-options.js';
export { isIdempotencyKey, releaseTime, tagsRuleUpTo } from './intake/rules/submission-rules.js';
export type { ClaimedRecipient, DeliveryJob, StoredContent, Tracking } from './message/delivery-job.js';
export { bounceFields, emailEvent, emailInfoOf, type EmailInfo, type EmailInfoRow } from './message/email-events.js';
export { aggregateStatus, lastEventOf } from './message/email-status.js';
export { EnvelopeBuilder } from './message/envelope-builder.js';
export { LocalDelivery } from './message/local-delivery.js';
export { MessageBuilder } from './message/message-builder.js';
export { ReturnPath, transactionOf, type TransactionRef } from './message/return-path.js';
export { isSimulated, simulatedOutcome } from './message/simulator.js';
export type { HostedUnsubscribe } from './message/unsubscribe-link.js';
export { capturedMessage } from './captured-message.resource.js';
export { emailShapes, type EmailSummary } from './email.resource.js';
export { emailHistoryShapes, type EarlierHostView } from './email-history.resource.js';
export { newEmail, newEmailShapes, type NewEmail } from './new-email.resource.js';
export { CapturedMessages } from './queries/captured-messages.js';
export { effectiveEmailStatus, effectiveStatus } from './queries/effective-status.js';
export { EmailAttachments } from './queries/email-attachments.js';
export { firstLink } from './queries/email-content.js';
export { EmailHistory } from './queries/email-history.js';
export { EmailPreview } from './queries/email-preview.js';
export { LinkCheck, type LinkResult } from './queries/link-check.js';
export { RemoteImages } from './queries/remote-images.js';
export { EmailQueries } from './queries/email-queries.js';
export type { EmailFilter } from './queries/list/email-filter.js';
export { EmailList } from './queries/list/email-list.js';
export { visibilityValues, visibleEmails } from './queries/visible-emails.js';
export {
  eraseRecipient,
  findErasableRecipients,
  findErasedEmails,
  type ErasedContent,
} from './commands/erase-recipient.js';
export { eraseStoredAnswers } from './commands/erase-stored-answers.js';
export { recipientsOf, recipientsOfAll, smtpOf, type RecipientRow } from './queries/recipient-row.js';
export { oldestUnsettledEmail } from './commands/retention.js';
export { EarlierLinks } from './tracking/earlier-links.js';
export { RecordVisits } from './tracking/record-visits.js';
export { RetryEmail } from './commands/retry-email.js';
export { openSystemMail } from './commands/open-system-mail.js';
export { SystemMail, type Notice } from './commands/system-mail.js';
export { nameInMail } from './message/name-in-mail.js';
export { suppressedAddresses, suppressionScope } from './message/suppression-scope.js';
export { isSystemMail, stopsWhilePaused } from './message/system-mail-kinds.js';
export { UnsubscribeRecipient, type Unsubscription } from './commands/unsubscribe-recipient.js';
