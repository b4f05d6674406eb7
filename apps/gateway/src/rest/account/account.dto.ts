import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ACCOUNT_STATUSES,
  accountNameRule,
  notifyAddressesRule,
  type AccountStatus,
  type AccountView,
} from '#libs/accounts';
import { LIMITS, type SendingPause } from '#libs/contracts';
import {
  ADDRESS_FORMAT,
  EnumProperty,
  IdProperty,
  IntegerProperty,
  KindProperty,
  NOT_BLANK_PATTERN,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { FieldRule } from '../validation/field-rule.decorator.js';

const name = {
  type: String,
  pattern: NOT_BLANK_PATTERN,
  description: 'The name of the account, shown in the dashboard',
  example: 'Example Ltd',
} satisfies ApiPropertyOptions;

const notifyAddresses = {
  type: 'array',
  items: { type: 'string', format: ADDRESS_FORMAT },
  description:
    'Addresses that receive notices of the service, without display names and quotes. Notices: a webhook fails or was disabled, 80% and 100% of the monthly ' +
    'allowance are used, sending was paused or resumed',
  example: ['ops@example.com'],
} satisfies ApiPropertyOptions;

/** Body of `PATCH /account`. Absent fields are not changed. */
export class ChangeAccountDto {
  @FieldRule(accountNameRule, { ...name, minLength: 1, maxLength: LIMITS.accountNameLength })
  name?: string;

  @FieldRule(notifyAddressesRule, { ...notifyAddresses, maxItems: LIMITS.notifyAddresses })
  notify_addresses?: string[];
}

export class SendingPauseDto implements SendingPause {
  @EnumProperty(['bounces', 'complaints'], 'The rate that was exceeded')
  reason: SendingPause['reason'];

  @TimeProperty('When sending was paused')
  paused_at: string;

  @IntegerProperty('Recipients of live e-mails whose delivery had ended in the window', 1200)
  recipients: number;

  @IntegerProperty('How many of them bounced permanently', 180)
  hard_bounces: number;

  @IntegerProperty('How many of them reported the e-mail as unwanted', 0)
  complaints: number;

  @ApiProperty({ type: Number, description: 'The limit that was exceeded, in percent of `recipients`', example: 10 })
  limit_percent: number;
}

export class AccountDto implements AccountView {
  @IdProperty('acc')
  id: string;

  @KindProperty('account')
  object: 'account';

  @ApiProperty(name)
  name: string;

  @TextProperty('`free`, `unlimited`, or a number of units per month', 'free')
  plan: string;

  @EnumProperty(
    ACCOUNT_STATUSES,
    '`paused`: e-mails are refused and queued ones are held because too many bounced or were reported as unwanted',
  )
  status: AccountStatus;

  @ApiProperty({
    type: SendingPauseDto,
    nullable: true,
    description: 'Reason and figures of the pause of sending; null while sending is not paused',
  })
  sending_pause: SendingPauseDto | null;

  @ApiProperty(notifyAddresses)
  notify_addresses: string[];

  @TimeProperty()
  created_at: string;
}
