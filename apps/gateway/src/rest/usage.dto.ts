import { ApiProperty } from '@nestjs/swagger';

export class UsageDto {
  @ApiProperty({ enum: ['usage'] })
  object: 'usage';

  @ApiProperty({ description: '`free`, `unlimited`, or a number of units a month', example: 'free' })
  plan: string;

  @ApiProperty({
    enum: ['recipient', 'message'],
    description: 'What is counted: accepted recipients, or mails. Mail of test keys is never counted',
  })
  unit: 'recipient' | 'message';

  @ApiProperty({ description: 'The calendar month in UTC', example: '2026-03' })
  month: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Units a month; null: unlimited', example: 3000 })
  limit: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Units accepted in this month, scheduled mail included; null where nothing is counted: unlimited plans',
    example: 120,
  })
  used: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Units left in this month; null: unlimited',
    example: 2880,
  })
  remaining: number | null;

  @ApiProperty({
    format: 'date-time',
    description: 'When the next month begins',
    example: '2026-04-01T00:00:00.000Z',
  })
  resets_at: string;

  @ApiProperty({
    type: 'integer',
    description: 'Requests per second and burst, of all keys and SMTP together; 0: not limited',
    example: 100,
  })
  rate_limit_per_second: number;
}
