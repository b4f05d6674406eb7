import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequestLog, type Principal, type RequestLogView } from '#libs/accounts';
import { Caller } from '../../http/caller.js';
import { found } from '../found.js';
import { PageQuery } from '../list.dto.js';
import { QueryPipe } from '../query-pipe.js';
import { ResendIdPipe } from './resend-id-pipe.js';
import { toResendId } from './resend-id.js';
import { resendList, resendPageRequest, type ResendList } from './resend-page.js';
import { RESEND, ResendRoute } from './resend-route.js';

interface ResendLogItem {
  id: string;
  created_at: string;
  /** Of these routes without their prefix, as the client knows them. */
  endpoint: string;
  method: string;
  response_status: number;
  user_agent: string | null;
}
interface ResendLog extends ResendLogItem {
  object: 'log';
  /** Bodies are never kept. */
  request_body: null;
  response_body: null;
}

const PREFIX = new RegExp(`^/${RESEND}(?=/)`);

@Controller(`${RESEND}/logs`)
export class ResendLogsController {
  constructor(private readonly requests: RequestLog) {}

  @Get()
  @ResendRoute('api_keys.read')
  async list(
    @Caller() { accountId }: Principal,
    @Query(QueryPipe) query: PageQuery,
  ): Promise<ResendList<ResendLogItem>> {
    return resendList(await this.requests.list(accountId, resendPageRequest(query, 'log'), {}), resendLogItem);
  }

  @Get(':id')
  @ResendRoute('api_keys.read')
  async find(@Caller() { accountId }: Principal, @Param('id', new ResendIdPipe('log')) id: string): Promise<ResendLog> {
    const request = found(await this.requests.find(accountId, id));
    return { object: 'log', ...resendLogItem(request), request_body: null, response_body: null };
  }
}

function resendLogItem({
  id,
  created_at,
  endpoint,
  method,
  response_status,
  user_agent,
}: RequestLogView): ResendLogItem {
  return {
    id: toResendId(id),
    created_at,
    endpoint: endpoint.replace(PREFIX, ''),
    method,
    response_status,
    user_agent,
  };
}
