import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequestLog, type Principal } from '#libs/accounts';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { found } from './found.js';
import { IdPipe } from './id-pipe.js';
import { pageRequest } from './list.dto.js';
import { filterOf, LogDto, LogList, LogsQuery } from './logs.dto.js';
import { QueryPipe } from './query-pipe.js';

const TAG = 'Request log';

/** What the caller's account asked of the API, and what it was answered. */
@Controller('logs')
export class LogsController {
  constructor(private readonly requests: RequestLog) {}

  @Get()
  @RequiresScope('api_keys.read')
  @Operation({
    tag: TAG,
    summary: 'List requests',
    description:
      'Every request with a key of this account, refused ones included, newest first, for 30 days; none of their bodies. ' +
      'A request is seen here about a second after its answer; what cannot be written down in times of trouble is left ' +
      'out. A page may be short, or empty, and still say `has_more` when a filter leaves little of many requests: go on ' +
      'with `next_cursor`.',
    answer: LogList,
    refuses: [400],
  })
  list(@Caller() { accountId }: Principal, @Query(QueryPipe) query: LogsQuery): Promise<LogList> {
    return this.requests.list(accountId, pageRequest(query, 'log'), filterOf(query));
  }

  @Get(':id')
  @RequiresScope('api_keys.read')
  @Operation({ tag: TAG, summary: 'Get a request', answer: LogDto, refuses: [404] })
  async get(@Caller() { accountId }: Principal, @Param('id', new IdPipe({ id: 'log' })) id: string): Promise<LogDto> {
    return found(await this.requests.find(accountId, id));
  }
}
