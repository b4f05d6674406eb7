export type { Accepted, Attachment, Idempotency, Submission } from './intake/submission.js';
export * from './intake/submission-rules.js';
export { attachmentsFrom } from './intake/attachment-rules.js';
