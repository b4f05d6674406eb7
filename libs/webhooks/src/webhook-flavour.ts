/**
 * How an endpoint wants to be spoken to: `native` as this service's documentation says, `resend` (created through the
 * compatible routes) as the receivers of that service's clients expect: their names of events, their shape of `data`,
 * their headers.
 */
export type WebhookFlavour = 'native' | 'resend';

/**
 * Kinds that clients of Resend may list, for things that this service does not have. They are kept, so that such a
 * client need not change, and never happen.
 */
export const RESEND_ONLY_EVENTS: readonly string[] = [
  'email.received',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.topics.updated',
  'topic.created',
  'topic.updated',
  'topic.deleted',
  'inbox.created',
  'inbox.updated',
  'inbox.deleted',
  'inbox.thread.created',
  'inbox.thread.folder.updated',
  'inbox.thread.assigned',
  'inbox.thread.unassigned',
  'inbox.thread.labels.updated',
  'inbox.email.received',
  'inbox.email.sent',
  'inbox.draft.created',
  'inbox.draft.updated',
  'inbox.draft.sent',
  'inbox.draft.deleted',
];
