import type { EventData, SendingPause } from './events.js';

/** The facts of each notice that the service mails to the owner of an account. */
export interface NoticeFacts {
  'webhook.failing': { webhook_id: string; url: string; failing_since: string };
  'webhook.disabled': EventData['webhook.disabled'];
  'account.allowance_warning': EventData['account.allowance_warning'];
  'account.paused': SendingPause;
  'account.resumed': EventData['account.resumed'];
  'account.pool_changed': EventData['account.pool_changed'];
}
export type NoticeKind = keyof NoticeFacts;
