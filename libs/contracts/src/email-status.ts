/** States of a message and of each recipient; see docs/decisions/018-status-and-events.md. */
export const EMAIL_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'complained',
  'suppressed',
  'canceled',
] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

/** The latest event of a message, as Resend clients know it. Unlike the status it includes opens and clicks. */
export const LAST_EVENTS = [
  'queued',
  'scheduled',
  'sent',
  'delivered',
  'delivery_delayed',
  'bounced',
  'failed',
  'complained',
  'opened',
  'clicked',
  'suppressed',
  'canceled',
] as const;
export type LastEvent = (typeof LAST_EVENTS)[number];

export const RECIPIENT_TYPES = ['to', 'cc', 'bcc'] as const;
export type RecipientType = (typeof RECIPIENT_TYPES)[number];
export type Mode = 'live' | 'test';
