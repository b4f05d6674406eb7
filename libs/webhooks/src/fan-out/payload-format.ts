/**
 * The format of the requests to an endpoint. `native` is documented by this service; `resend`, for endpoints created
 * through the Resend-compatible API, has that service's event names, `data` and headers.
 */
export type PayloadFormat = 'native' | 'resend';

/**
 * Event types of Resend for features that this service does not have. Clients may list them, so that they need no
 * change; such events never occur.
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
