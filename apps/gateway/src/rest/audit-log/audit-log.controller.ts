import { Controller, Get, Query } from '@nestjs/common';
import { AuditHistory, type Principal } from '#libs/accounts';
import { Caller } from '../../http/caller.js';
import { RequiresScope, WholeAccount } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { pageRequest } from '../list.dto.js';
import { QueryPipe } from '../validation/query-pipe.js';
import { AuditLogList, AuditLogQuery, toAuditFilter } from './audit-log.dto.js';

/** Who changed what in the account. */
@Controller('audit-log')
export class AuditLogController {
  constructor(private readonly history: AuditHistory) {}

  @Get()
  @RequiresScope('account.read')
  @WholeAccount()
  @Operation({
    tag: 'Audit log',
    summary: 'List recorded actions',
    description:
      'Actions that must be traceable, such as the removal of a suppression, the rotation of a DKIM key or a change of a ' +
      'member, newest first. With a selective filter a page may be short or empty although `has_more` is true: continue ' +
      'with `next_cursor`.',
    response: AuditLogList,
    errors: [400],
  })
  list(@Caller() { accountId }: Principal, @Query(QueryPipe) query: AuditLogQuery): Promise<AuditLogList> {
    return this.history.page(accountId, pageRequest(query, 'aud'), toAuditFilter(query));
  }
}
