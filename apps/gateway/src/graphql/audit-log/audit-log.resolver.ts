import { Args, Query, Resolver } from '@nestjs/graphql';
import type { Principal } from '#libs/accounts';
import { AuditLogController } from '../../rest/audit-log/audit-log.controller.js';
import { AuditEntryDto, AuditLogQuery } from '../../rest/audit-log/audit-log.dto.js';
import { connectionType, PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { queryDtoOf } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { Json } from '../scalars.js';

export const AuditEntryType = objectType('AuditEntry', AuditEntryDto, {
  description: 'An action that must be traceable.',
  fields: { details: { type: Json } },
});
export const AuditEntryConnection = connectionType<AuditEntryDto>('AuditEntry', AuditEntryType);

/** Who changed what in the account. */
@Resolver(() => AuditEntryType)
export class AuditLogResolver {
  constructor(private readonly rest: AuditLogController) {}

  @Query(() => AuditEntryConnection, {
    description:
      'Actions that must be traceable, such as the removal of a suppression or the rotation of a DKIM key, newest first.',
  })
  async auditLog(
    @CallerOf(AuditLogController, 'list') caller: Principal,
    @Args() page: PageArgs,
  ): Promise<Connection<AuditEntryDto>> {
    return toConnection(await this.rest.list(caller, queryDtoOf(AuditLogQuery, pageParameters(page))), page);
  }
}
