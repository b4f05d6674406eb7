import { ApiProperty } from '@nestjs/swagger';
import type { AuditEntryView, AuditFilter } from '#libs/accounts';
import {
  exampleId,
  IdProperty,
  KindProperty,
  NullableTextProperty,
  TextProperty,
  TimeProperty,
} from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { QueryText, QueryTime } from '../validation/query-fields.js';
import { instantOf } from '../validation/query-rules.js';

/** Also `operator`, for example. */
const NOT_ALWAYS_AN_ID = { pattern: '^.+$' };

export class AuditEntryDto implements AuditEntryView {
  @IdProperty('aud')
  id: string;

  @KindProperty('audit_entry')
  object: 'audit_entry';

  @TextProperty(
    'The API key or the user of the dashboard who did it; `operator` for the operator of the service',
    exampleId('key'),
    NOT_ALWAYS_AN_ID,
  )
  actor: string;

  @TextProperty('The kind of the changed object and the change, separated by a dot', 'suppression.removed')
  action: string;

  @TextProperty('The id of the changed object', exampleId('sup'), NOT_ALWAYS_AN_ID)
  target: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Properties of the object that cannot be looked up any more; its fields depend on the action',
    example: { email: 'user@example.net', force: false },
  })
  details: Readonly<Record<string, unknown>>;

  @NullableTextProperty('The IP address of the client; null where there was none', '192.0.2.10')
  ip: string | null;

  @TimeProperty('When it was done')
  created_at: string;
}

export class AuditLogQuery extends pageQueryOf('aud') {
  @QueryText('Only actions of this API key or user', exampleId('key'))
  actor?: string;

  @QueryText(
    'Only this action, such as `suppression.removed`, or all actions of a kind, such as `suppression`',
    'suppression',
  )
  action?: string;

  @QueryText('Only actions that changed the object with this id', exampleId('sup'))
  target?: string;

  @QueryTime('Only actions at or after this time')
  created_after?: string;

  @QueryTime('Only actions before this time')
  created_before?: string;
}
export class AuditLogList extends listOf(AuditEntryDto, 'aud') {}

/** The filter for validated parameters. */
export function toAuditFilter({ actor, action, target, created_after, created_before }: AuditLogQuery): AuditFilter {
  return {
    ...{ actor, action, target },
    createdAfter: instantOf(created_after),
    createdBefore: instantOf(created_before),
  };
}
