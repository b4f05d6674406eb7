import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { loggedRequest, type Principal } from '#libs/accounts';
import { isId } from '#libs/contracts';
import { LogsController } from '../../rest/logs/logs.controller.js';
import { LogDto, LogsQuery } from '../../rest/logs/logs.dto.js';
import { connectionType, PageArgs, pageParameters, toConnection, type Connection } from '../connection.js';
import { inputType, queryDtoOf, restQuery } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { CallerOf } from '../graphql-caller.js';
import { orNull } from '../or-null.js';

const LoggedRequestType = objectType(loggedRequest.name, LogDto, { description: loggedRequest.about });
const LoggedRequestConnection = connectionType<LogDto>(loggedRequest.name, LoggedRequestType);
const RequestLogFilter = inputType('RequestLogFilter', LogsQuery, {
  description: 'Selects requests. A request must match all given fields.',
  omit: ['limit', 'after', 'before'],
});

/** The request log of the account. */
@Resolver(() => LoggedRequestType)
export class RequestLogResolver {
  constructor(private readonly rest: LogsController) {}

  @Query(() => LoggedRequestConnection, {
    description:
      'All requests with a key of this account in the last 30 days, including refused ones, newest first. With a selective ' +
      'filter a page may be short or empty although `hasNextPage` is true: continue with `endCursor`.',
  })
  async requestLog(
    @CallerOf(LogsController, 'list') caller: Principal,
    @Args() page: PageArgs,
    @Args('filter', { type: () => RequestLogFilter, nullable: true, description: 'Only requests that match it' })
    filter?: object | null,
  ): Promise<Connection<LogDto>> {
    const query = queryDtoOf(LogsQuery, { ...restQuery(RequestLogFilter, filter), ...pageParameters(page) });
    return toConnection(await this.rest.list(caller, query), page);
  }

  @Query(() => LoggedRequestType, {
    nullable: true,
    description: 'One entry of the request log. Null if the account has no such entry.',
  })
  async loggedRequest(
    @CallerOf(LogsController, 'get') caller: Principal,
    @Args('id', { type: () => ID, description: 'The id of the entry' }) id: string,
  ): Promise<LogDto | null> {
    return isId('log', id) ? orNull(this.rest.get(caller, id)) : null;
  }
}
