import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES, type EventType, type LoggedEvent } from '#libs/contracts';
import { ByRule } from './by-rule.js';
import { listOf, PageQuery } from './list.dto.js';
import { idRule } from './query-rules.js';
import { wordsRule } from './stats-rules.js';

export class EventsQuery extends PageQuery {
  @ByRule(wordsRule(EVENT_TYPES), {
    doc: {
      type: String,
      description: `Only events of these types, comma-separated, of: ${EVENT_TYPES.join(', ')}`,
      example: 'email.delivered,email.bounced',
    },
  })
  type?: string;

  @ByRule(idRule('em'), {
    doc: { type: String, description: 'Only events of this e-mail', example: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa' },
  })
  email_id?: string;

  @ByRule(idRule('dom'), {
    doc: {
      type: String,
      description: 'Only events of this domain and its mail',
      example: 'dom_01978c0e5f7b7c3a9d21f0b64c1e88aa',
    },
  })
  domain_id?: string;
}

/** An event as webhooks tell it, with its id. */
export class EventDto {
  @ApiProperty({
    description: 'The same as in the header `webhook-id` of a webhook',
    example: 'evt_01978c0e5f7b7c3a9d21f0b64c1e88aa',
  })
  id: string;

  @ApiProperty({ enum: [...EVENT_TYPES], description: 'What happened' })
  type: EventType;

  @ApiProperty({ format: 'date-time', description: 'When it happened', example: '2026-01-31T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What is told of it; its fields depend on the type. Events of test mail have `mode: "test"`',
    example: { email_id: 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa', recipient: 'user@example.com' },
  })
  data: object;
}

export class EventList extends listOf(EventDto) {}

export function presentEvent({ event }: LoggedEvent): EventDto {
  const { id, type, created_at, data } = event;
  return { id, type, created_at, data };
}
