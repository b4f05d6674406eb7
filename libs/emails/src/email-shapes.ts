import { capturedMessage } from './captured-message.resource.js';
import { attempt, attemptSecurity, earlierHost, eventOfEmail } from './email-history.resource.js';
import { email, emailSummary, linkedAttachment, recipient, smtp, tracked, visits } from './email.resource.js';
import { attachment, listUnsubscribe, messageTracking, newEmail } from './new-email.resource.js';

/** The definitions, for the interfaces that accept and show emails. */
export const emailShapes = {
  ...{ email, emailSummary, linkedAttachment, recipient, smtp, tracked, visits },
  ...{ attempt, attemptSecurity, earlierHost, eventOfEmail },
  ...{ newEmail, attachment, listUnsubscribe, messageTracking },
  capturedMessage,
};
