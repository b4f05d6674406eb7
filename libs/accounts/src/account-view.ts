import type { SendingPause } from '#libs/contracts';
import type { AccountEntity } from './account.entity.js';

export const ACCOUNT_STATUSES = ['active', 'paused', 'blocked', 'overdue'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** An account as its owner sees it. */
export interface AccountView {
  id: string;
  object: 'account';
  name: string;
  plan: string;
  status: AccountStatus;
  /** Null unless sending is paused. */
  sending_pause: SendingPause | null;
  notify_addresses: string[];
  created_at: string;
}

/** Absent fields are not changed. */
export interface AccountChange {
  name?: string;
  /** Replaces the whole list. */
  notifyAddresses?: string[];
}

export const toAccountView = (account: AccountEntity): AccountView => ({
  id: account.id,
  object: 'account',
  name: account.name,
  plan: account.plan,
  status: statusOf(account),
  sending_pause: account.sendingPause,
  notify_addresses: account.notifyAddresses,
  created_at: account.createdAt.toISOString(),
});

/** The operator's decision is shown before the automatic one. */
export function statusOf({ standing, sendingPause }: Pick<AccountEntity, 'standing' | 'sendingPause'>): AccountStatus {
  if (standing !== 'active') return standing;
  return sendingPause === null ? 'active' : 'paused';
}

export function columnsOf({ name, notifyAddresses }: AccountChange): { name?: string; notify_addresses?: string[] } {
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(notifyAddresses === undefined
      ? {}
      : { notify_addresses: [...new Set(notifyAddresses.map((address) => address.trim()))] }),
  };
}
