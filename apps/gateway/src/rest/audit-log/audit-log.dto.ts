import { ApiProperty } from '@nestjs/swagger';
import type { AuditEntryView } from '#libs/accounts';
import { exampleId, IdProperty, KindProperty, TextProperty, TimeProperty } from '../../openapi/properties.js';
import { listOf, PageQuery } from '../list.dto.js';

export class AuditEntryDto implements AuditEntryView {
  @IdProperty('aud')
  id: string;

  @KindProperty('audit_entry')
  object: 'audit_entry';

  @TextProperty('The API key that did it', exampleId('key'))
  actor: string;

  @TextProperty('What was done', 'suppression.removed')
  action: string;

  @TextProperty('The id of the changed object', exampleId('sup'))
  target: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Properties of the object that cannot be looked up any more; its fields depend on the action',
    example: { email: 'user@example.net', force: false },
  })
  details: Readonly<Record<string, unknown>>;

  @TimeProperty('When it was done')
  created_at: string;
}

export class AuditLogQuery extends PageQuery {}
export class AuditLogList extends listOf(AuditEntryDto) {}
