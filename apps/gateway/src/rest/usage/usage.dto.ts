import { EnumProperty, IntegerProperty, KindProperty, TextProperty, TimeProperty } from '../../openapi/properties.js';

export class UsageDto {
  @KindProperty('usage')
  object: 'usage';

  @TextProperty('`free`, `unlimited`, or a number of units per month', 'free')
  plan: string;

  @EnumProperty(
    ['recipient', 'message'],
    'The unit: accepted recipients, or accepted e-mails. E-mails of test keys are not counted',
  )
  unit: 'recipient' | 'message';

  @TextProperty('The calendar month in UTC', '2026-03')
  month: string;

  @IntegerProperty('Units per month; null: unlimited', 3000, { nullable: true })
  limit: number | null;

  @IntegerProperty(
    'Units accepted in this month, including scheduled e-mails; null for unlimited plans, which are not counted',
    120,
    { nullable: true },
  )
  used: number | null;

  @IntegerProperty('Units left in this month; null: unlimited, or a key that is limited to domains', 2880, {
    nullable: true,
  })
  remaining: number | null;

  @TimeProperty('When the next month begins', '2026-04-01T00:00:00.000Z')
  resets_at: string;

  @IntegerProperty('Requests per second and burst, for all keys and SMTP together; 0: unlimited', 100)
  rate_limit_per_second: number;
}
