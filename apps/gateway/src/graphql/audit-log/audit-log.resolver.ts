import { Args, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { AuditLogController } from '../../rest/audit-log/audit-log.controller.js';
import { AuditEntryDto, AuditLogQuery } from '../../rest/audit-log/audit-log.dto.js';
import { connectionType, PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { inputType, queryDtoOf, restQuery } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { Json } from '../scalars.js';

const AuditEntryType = objectType('AuditEntry', AuditEntryDto, {
  description: 'An action that must be traceable.',
  fields: { details: { type: Json } },
});
const AuditEntryConnection = connectionType<AuditEntryDto>('AuditEntry', AuditEntryType);
const AuditLogFilter = inputType('AuditLogFilter', AuditLogQuery, {
  description: 'Selects actions. An action must match all given fields.',
  omit: ['limit', 'after', 'before'],
});

/** Who changed what in the account. */
@Resolver(() => AuditEntryType)
export class AuditLogResolver {
  constructor(private readonly rest: AuditLogController) {}

  @Query(() => AuditEntryConnection, {
    description:
      'Actions that must be traceable, such as the removal of a suppression, the rotation of a DKIM key or a change of a ' +
      'member, newest first. With a selective filter a page may be short or empty although `hasNextPage` is true: continue ' +
      'with `endCursor`.',
  })
  async auditLog(
    @CallerOf(AuditLogController, 'list') caller: Principal,
    @Args() page: PageArgs,
    @Args('filter', { type: () => AuditLogFilter, nullable: true, description: 'Only actions that match it' })
    filter?: object | null,
  ): Promise<Connection<AuditEntryDto>> {
    const query = queryDtoOf(AuditLogQuery, { ...restQuery(AuditLogFilter, filter), ...pageParameters(page) });
    return toConnection(await this.rest.list(caller, query), page);
  }
}
