import { fields, LIMITS, type Rule, type Shape, type ViewOf } from '#libs/contracts';
import { account, accountPenalty, POOL_CHOICES, sendingPause, STANDINGS } from './account.resource.js';
import { planRule } from './account-rules.js';

const poolChoiceRule: Rule = (value) =>
  (POOL_CHOICES as readonly unknown[]).includes(value)
    ? []
    : [{ path: '', code: 'invalid_value', message: `must be one of ${POOL_CHOICES.join(', ')}` }];

const limitPercentRule: Rule = (value) =>
  value === null || (typeof value === 'number' && value > 0 && value <= 100)
    ? []
    : [{ path: '', code: 'invalid_value', message: 'must be a number above 0 and up to 100, or null' }];

const LIMIT_SCHEMA = { minimum: 0, maximum: 100 } as const;

const monthlyUsage = {
  name: 'OperatorAccountUsage',
  about: 'Units of this calendar month (UTC).',
  fields: {
    used: fields.integer('Units used', 1200),
    limit: fields.integer('The limit of the plan', LIMITS.freePlanUnits),
  },
} as const satisfies Shape;

const outcomes = {
  name: 'OperatorAccountOutcomes',
  about: 'What was counted in `ABUSE_WINDOW`.',
  fields: {
    recipients: fields.integer('Recipients of live emails whose delivery has ended', 1200),
    hard_bounces: fields.integer('How many of them bounced permanently', 12),
    complaints: fields.integer('How many of them reported the email as unwanted', 0),
    blocks: fields.integer('Replies of servers that refused or deferred emails as unwanted', 3),
  },
} as const satisfies Shape;

export const operatorAccount = {
  name: 'OperatorAccount',
  about: 'An account as the operator of the service sees it.',
  fields: {
    id: fields.id('acc'),
    object: fields.kind('operator_account'),
    name: account.fields.name,
    status: account.fields.status,
    standing: fields.choice(
      STANDINGS,
      'The decision of the operator: requests of an account that is not `active` get 403',
    ),
    plan: account.fields.plan,
    usage: fields.object(monthlyUsage, 'Null for an unlimited plan, which is not counted').orNull(),
    pool: account.fields.pool,
    pool_choice: fields.choice(
      POOL_CHOICES,
      '`auto`: the limits decide about the pool; otherwise the operator has decided',
    ),
    penalty: fields.object(accountPenalty, 'Why emails leave from the penalty pool; null while they do not').orNull(),
    sending_pause: fields.object(sendingPause, 'Null while sending is not paused').orNull(),
    outcomes: fields.object(outcomes, 'What decides about a pause and about the pool'),
    bounce_limit_percent: fields
      .number(
        'Limit of permanent bounces of this account before it is paused; null: that of `ABUSE_BOUNCE_PERCENT`',
        10,
      )
      .orNull(),
    complaint_limit_percent: fields
      .number('Limit of complaints of this account before it is paused; null: that of `ABUSE_COMPLAINT_PERCENT`', 0.3)
      .orNull(),
    notify_addresses: account.fields.notify_addresses,
    created_at: fields.time(),
  },
} as const satisfies Shape;

/** An account as the operator sees it over REST. */
export interface OperatorAccountView extends ViewOf<typeof operatorAccount> {}

/** Changes of an account by the operator. */
export const operatorAccountChange = {
  name: 'OperatorAccountChange',
  about: 'What the operator changes of an account.',
  fields: {
    plan: fields.text('`free`, `unlimited`, or a number of units per month', '50000').given(planRule),
    pool: fields
      .choice(POOL_CHOICES, 'The pool that emails leave from; `auto`: the limits decide', 'penalty')
      .given(poolChoiceRule),
    bounce_limit_percent: fields
      .number('Limit of permanent bounces before a pause; null: that of `ABUSE_BOUNCE_PERCENT`', 15)
      .orNull()
      .given(limitPercentRule, { schema: LIMIT_SCHEMA }),
    complaint_limit_percent: fields
      .number('Limit of complaints before a pause; null: that of `ABUSE_COMPLAINT_PERCENT`', 0.2)
      .orNull()
      .given(limitPercentRule, { schema: LIMIT_SCHEMA }),
  },
} as const satisfies Shape;

export type OperatorAccountChange = Partial<ViewOf<typeof operatorAccountChange>>;
