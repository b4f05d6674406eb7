import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequestLog, type Principal } from '#libs/accounts';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { pageRequest } from '../list.dto.js';
import { IdPipe, orNotFound } from '../or-not-found.js';
import { toRequestLogFilter, LogDto, LogList, LogsQuery } from './logs.dto.js';
import { QueryPipe } from '../validation/query-pipe.js';

const TAG = 'Request log';

/** The request log of the caller's account. */
@Controller('logs')
export class LogsController {
  constructor(private readonly requests: RequestLog) {}

  @Get()
  @RequiresScope('api_keys.read')
  @Operation({
    tag: TAG,
    summary: 'List requests',
    description:
      'All requests with a key of this account in the last 30 days, including refused ones, newest first, without bodies. ' +
      'A request appears about one second after its response; during a database outage requests may be missing. With a ' +
      'selective filter a page may be short or empty although `has_more` is true: continue with `next_cursor`.',
    response: LogList,
    errors: [400],
  })
  list(@Caller() caller: Principal, @Query(QueryPipe) query: LogsQuery): Promise<LogList> {
    return this.requests.list(caller, pageRequest(query, 'log'), toRequestLogFilter(query));
  }

  @Get(':id')
  @RequiresScope('api_keys.read')
  @Operation({ tag: TAG, summary: 'Get a request', response: LogDto, errors: [404] })
  async get(@Caller() caller: Principal, @Param('id', new IdPipe({ id: 'log' })) id: string): Promise<LogDto> {
    return orNotFound(await this.requests.find(caller, id));
  }
}
