import type { QueueView, Wait } from '#libs/queue';
import { WAITS } from '#libs/queue';
import {
  EnumProperty,
  IntegerProperty,
  KindProperty,
  NullableTextProperty,
  NullableTimeProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf } from '../list.dto.js';

/** Recipients at one domain that wait for the same thing. */
class QueueDto implements QueueView {
  @KindProperty('queue')
  object: 'queue';

  @TextProperty('The domain of the recipients', 'example.com')
  domain: string;

  @TextProperty('The mailbox provider, as in statistics: a known name, otherwise the domain', 'google')
  provider: string;

  @IntegerProperty('Number of recipients', 12)
  recipients: number;

  @NullableTimeProperty('Due time of the oldest recipient that is due; null if none is')
  oldest_due_at: string | null;

  @NullableTimeProperty('When the next recipient becomes due; null if all are due or being delivered')
  next_attempt_at: string | null;

  @EnumProperty(WAITS, 'The reason for waiting, as in the explanation of an e-mail')
  waiting_for: Wait;

  @TextProperty(
    'A human-readable sentence with the server reply that caused it',
    'mx1.example.com answered: 450 4.2.0 greylisted, try again later',
  )
  reason: string;

  @IntegerProperty('The SMTP reply code that caused it; null without one', 450, { nullable: true })
  code: number | null;

  @NullableTextProperty('The server that replied, or could not be reached; null without one', 'mx1.example.com')
  host: string | null;

  @TimeProperty(
    'Since when the oldest recipient has waited: its acceptance, or its scheduled time once that has passed',
  )
  since: string;
}

export class QueueList extends listOf(QueueDto) {}
