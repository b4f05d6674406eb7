/** The states of a mail and of each of its recipients (D-28). */
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

/** What happened last (the set that existing clients know); unlike the status it includes opens and clicks. */
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
