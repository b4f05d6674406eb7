import { fields, type Shape, type ViewOf } from '#libs/contracts';

export const usage = {
  name: 'Usage',
  about: 'The monthly allowance of the account and its usage.',
  fields: {
    object: fields.kind('usage'),
    plan: fields.text('`free`, `unlimited`, or a number of units per month', 'free'),
    unit: fields.choice(
      ['recipient', 'message'],
      'The unit: accepted recipients, or accepted emails. Emails of test keys are not counted',
    ),
    month: fields.text('The calendar month in UTC', '2026-03'),
    limit: fields.integer('Units per month; null: unlimited', 3000).orNull(),
    used: fields
      .integer(
        'Units accepted in this month, including scheduled emails; null for unlimited plans, which are not counted',
        120,
      )
      .orNull(),
    remaining: fields
      .integer('Units left in this month; null: unlimited, or a key that is limited to domains', 2880)
      .orNull(),
    resets_at: fields.time('When the next month begins', '2026-04-01T00:00:00.000Z'),
    rate_limit_per_second: fields.integer(
      'Requests per second and burst, for all keys and SMTP together; 0: unlimited',
      100,
    ),
  },
} as const satisfies Shape;

export interface UsageView extends ViewOf<typeof usage> {}
