import { accountShapes } from '#libs/accounts';
import { responseClass } from '../../openapi/definition-classes.js';
import { exampleId } from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { QueryText, QueryTime } from '../validation/query-fields.js';
import { instantOf } from '../validation/query-rules.js';

export class AuditEntryDto extends responseClass(accountShapes.auditEntry) {}

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
export function toAuditFilter({ actor, action, target, created_after, created_before }: AuditLogQuery) {
  return {
    ...{ actor, action, target },
    createdAfter: instantOf(created_after),
    createdBefore: instantOf(created_before),
  };
}
