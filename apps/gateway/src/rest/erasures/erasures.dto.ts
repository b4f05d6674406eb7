import { ApiProperty } from '@nestjs/swagger';
import {
  COUNTED,
  ELSEWHERE,
  ERASURE_STATUSES,
  type Counted,
  type ElsewhereView,
  type ErasureReceipt,
  type ErasureView,
} from '#libs/erasure';
import { suppression } from '#libs/suppressions';
import {
  ADDRESS_FORMAT,
  EnumProperty,
  IdProperty,
  IntegerProperty,
  KindProperty,
  NullableTimeProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { FieldRule } from '../validation/field-rule.decorator.js';

/** Body of `POST /erasures`. */
export class RequestErasureDto {
  @FieldRule(suppression.ruleOf('email'), {
    type: String,
    format: ADDRESS_FORMAT,
    required: true,
    description: 'The address to erase',
    example: 'user@example.net',
  })
  email: string;
}

export class ElsewhereDto implements ElsewhereView {
  @EnumProperty(ELSEWHERE, 'A place that the service cannot erase')
  place: ElsewhereView['place'];

  @NullableTimeProperty('When the address is gone there; null: not known', null)
  expires_at: string | null;

  @TextProperty('An explanation, or the action that is needed there', 'Records of the topic expire by its retention.')
  note: string;
}

export class ErasureReceiptDto implements ErasureReceipt {
  @TextProperty('The text in place of the address', 'erased-0f3a5d0c9b8e7a6f5e4d3c2b1a09f8e7@erased.invalid')
  erased_as: string;

  @TimeProperty('When it was requested')
  requested_at: string;

  @NullableTimeProperty('When the erasure was completed; null: it is not')
  finished_at: string | null;

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(
      COUNTED.map((name) => [
        name,
        {
          type: 'integer',
          description: `Number of rows: ${name.replaceAll('_', ' ').replace(/ rows$/, '')}`,
          examples: [3],
        },
      ]),
    ),
    required: [...COUNTED],
    description:
      'Rows that contained the address, by store. Rows that were written again while the erasure ran count again',
  })
  erased: Record<Counted, number>;

  @IntegerProperty('Messages that still wait for delivery to other recipients; they are erased after that', 0)
  waiting_messages: number;

  @ApiProperty({ type: [ElsewhereDto], description: 'Where the address may still be' })
  elsewhere: ElsewhereDto[];
}

export class ErasureDto implements ErasureView {
  @IdProperty('ers')
  id: string;

  @KindProperty('erasure')
  object: 'erasure';

  @EnumProperty(ERASURE_STATUSES, 'Progress of the erasure', 'completed')
  status: ErasureView['status'];

  @ApiProperty({ type: ErasureReceiptDto, description: 'What has been erased, and where the address may still be' })
  receipt: ErasureReceiptDto;
}
