export { DispatchModule, QueueApiModule, QueueModule } from './queue.module.js';
export { EmailExplanation } from './explain/email-explanation.js';
export { explanationShapes } from './explanation.resource.js';
export { QueueOverview } from './overview/queue-overview.js';
export { queueShapes, type ThrottleView } from './queue.resource.js';
export { foreignSources } from './throttling/foreign-sources.js';
export { HeldQueues } from './throttling/held-queues.js';
export { SourceOverview } from './throttling/source-overview.js';
export { QueueDepths } from './throttling/queue-depths.js';
export { throttlingPlan } from './throttling/shared-throttling.js';
export { fullMailboxSuppressions, hardBounceSuppression } from './settle/suppress-on-bounce.js';
export { recordLateReport } from './settle/late-bounce.js';
export { eraseFromEmail } from './commands/erase-attempts.js';
export { RemovedDomainMail } from './commands/removed-domain-mail.js';
export { RescheduleEmail } from './commands/reschedule-email.js';
export {
  lockReportedEmail,
  reportedTransaction,
  type ReportedEmail,
  type ReportedRecipient,
  type ReportedTransaction,
} from './settle/lock-reported-email.js';
export { attemptRecords } from './settle/attempt-records.js';
