import {
  fields,
  formats,
  LIMITS,
  resource,
  type ChangesOf,
  type RowOf,
  type Shape,
  type ViewOf,
} from '#libs/contracts';
import { entityOf } from '#libs/persistence';
import type { EntitySchema } from 'typeorm';
import { accountNameRule, notifyAddressesRule } from './account-rules.js';

/** Requests of blocked and overdue accounts are refused with 403; their data is kept. */
export const STANDINGS = ['active', 'blocked', 'overdue'] as const;
export type Standing = (typeof STANDINGS)[number];

/** `auto`: the limits decide; `penalty` and `default`: the operator has decided. */
export const POOL_CHOICES = ['auto', 'penalty', 'default'] as const;
export type PoolChoice = (typeof POOL_CHOICES)[number];

/** Limits that the operator set for one account, in place of those of the settings. */
export interface AbuseLimits {
  bounce_percent?: number | null;
  complaint_percent?: number | null;
}

export const sendingPause = {
  name: 'SendingPause',
  about: 'Why the sending of an account is paused.',
  fields: {
    reason: fields.choice(['bounces', 'complaints'], 'The rate that was exceeded'),
    paused_at: fields.time('When sending was paused'),
    recipients: fields.integer('Recipients of live emails whose delivery had ended in the window', 1200),
    hard_bounces: fields.integer('How many of them bounced permanently', 180),
    complaints: fields.integer('How many of them reported the email as unwanted', 0),
    limit_percent: fields.number('The limit that was exceeded, in percent of `recipients`', 10),
  },
} as const satisfies Shape;

export const accountPenalty = {
  name: 'AccountPenalty',
  about: 'Why the emails of an account leave from the penalty pool.',
  fields: {
    reason: fields.choice(
      ['bounces', 'complaints', 'blocks', 'operator'],
      'The rate that was exceeded; `blocks`: servers refused or deferred too many emails as unwanted; `operator`: the operator moved it',
    ),
    since: fields.time('Since when they leave from there'),
    recipients: fields.integer('Recipients of live emails whose delivery had ended in the window', 1200),
    hard_bounces: fields.integer('How many of them bounced permanently', 80),
    complaints: fields.integer('How many of them reported the email as unwanted', 0),
    blocks: fields.integer('Replies of servers that refused or deferred emails as unwanted', 0),
    limit_percent: fields.number('The limit that was exceeded, in percent of `recipients`', 5).orNull(),
    exceeded_on: fields
      .text('The latest day (UTC) on which a limit was exceeded; null if the operator moved it', '2026-11-21')
      .orNull(),
    clean_days: fields.texts('Days (UTC) after it on which the account sent within all limits', ['2026-11-22']),
  },
} as const satisfies Shape;

export const account = resource({
  name: 'Account',
  about: 'The account of the API key.',
  table: 'accounts',
  fields: {
    id: fields.id('acc').stored(),
    object: fields.kind('account'),
    name: fields
      .text('The name of the account, shown in the dashboard', 'Example Ltd', { pattern: formats.NOT_BLANK_PATTERN })
      .stored()
      .settable(accountNameRule, { schema: { minLength: 1, maxLength: LIMITS.accountNameLength } }),
    plan: fields.text('`free`, `unlimited`, or a number of units per month', 'free').stored(),
    status: fields.choice(
      ['active', 'paused', 'blocked', 'overdue'],
      '`paused`: emails are refused and queued ones are held because too many bounced or were reported as unwanted',
    ),
    sending_pause: fields
      .object(sendingPause, 'Reason and figures of the pause of sending; null while sending is not paused')
      .orNull()
      .stored(),
    pool: fields.choice(
      ['default', 'penalty'],
      'The source addresses that emails leave from: those of all accounts, or those of accounts with too many bounces, complaints or blocked emails',
    ),
    penalty: fields
      .object(accountPenalty, 'Why emails leave from the penalty pool; null while they do not')
      .orNull()
      .stored(),
    notify_addresses: fields
      .texts(
        'Addresses that receive notices of the service, without display names and quotes. Notices: a webhook fails or was disabled, 80% and 100% of the monthly ' +
          'allowance are used, sending was paused or resumed, emails leave from another source pool',
        ['ops@example.com'],
        { items: { type: 'string', format: formats.ADDRESS_FORMAT } },
      )
      .stored()
      .settable(notifyAddressesRule, { schema: { maxItems: LIMITS.notifyAddresses } }),
    created_at: fields.time().stored(),
  },
  internal: {
    standing: fields.column<Standing>(),
    pool_choice: fields.column<PoolChoice>(),
    abuse_limits: fields.column<AbuseLimits>('jsonb'),
  },
});

/** Why the mail of an account leaves from the penalty pool, and what was counted when it was moved there. */
export interface AccountPenalty extends ViewOf<typeof accountPenalty> {}
/** An account as its owner sees it. */
export interface AccountView extends ViewOf<typeof account> {}
export type AccountStatus = AccountView['status'];
/** Changes by the owner. */
export interface AccountChange extends ChangesOf<typeof account> {}
/** A row of `accounts`. */
export interface AccountRow extends RowOf<typeof account> {}
export const AccountEntity: EntitySchema<AccountRow> = entityOf(account);

export const toAccountView = (row: AccountRow): AccountView =>
  account.toView(row, { object: 'account', status: statusOf(row), pool: row.penalty === null ? 'default' : 'penalty' });

/** The operator's decision is shown before the automatic one. */
export function statusOf(row: Pick<AccountRow, 'standing' | 'sending_pause'>): AccountStatus {
  if (row.standing !== 'active') return row.standing;
  return row.sending_pause === null ? 'active' : 'paused';
}
