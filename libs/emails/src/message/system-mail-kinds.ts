/** Tag of messages sent by the service itself; the value is the kind of message. */
export const NOTICE_TAG = 'notice';

/** Kinds of messages of the service itself. */
const KINDS = [
  'login',
  'tls_report',
  'webhook_failing',
  'webhook_disabled',
  'allowance_warning',
  'sending_paused',
  'sending_resumed',
  'pool_changed',
] as const;
export type SystemMailKind = (typeof KINDS)[number];

/** Whether a message is held while its account is paused: test messages reach nobody, and notices tell about the pause. */
const stopsWhilePaused = (
  email: { test: boolean; tags: Readonly<Record<string, string>>; sender: string },
  serviceDomain: string,
): boolean => !email.test && !isSystemMail(email, serviceDomain);

/**
 * Whether the service itself wrote a message. Such messages count towards no allowance and no rate of bounces, and are not in
 * statistics. Without `serviceDomain`, other accounts can pass for the service from a `postmaster@` of their own.
 */
export function isSystemMail(
  { tags, sender }: { tags: Readonly<Record<string, string>>; sender: string },
  serviceDomain?: string,
): boolean {
  const kind: string | undefined = tags[NOTICE_TAG];
  if (kind === undefined || !(KINDS as readonly string[]).includes(kind)) return false;
  return serviceDomain === undefined ? sender.startsWith('postmaster@') : sender === `postmaster@${serviceDomain}`;
}

/** Messages that the service itself writes. */
export const systemMail = { isOwn: isSystemMail, stopsWhilePaused };
