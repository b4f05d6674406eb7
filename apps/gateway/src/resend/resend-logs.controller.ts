import { Controller, Get, Param, Query } from '@nestjs/common';
import { RequestLog, type Principal } from '#libs/accounts';
import { Caller } from '../http/caller.js';
import { orNotFound } from '../rest/or-not-found.js';
import { PageQuery } from '../rest/list.dto.js';
import type { LogDto } from '../rest/logs/logs.dto.js';
import { QueryPipe } from '../rest/validation/query-pipe.js';
import { ResendIdPipe, toResendId } from './resend-id.js';
import { toResendList, resendPageRequest, type ResendList } from './resend-list.js';
import { RESEND, ResendRoute } from './resend-route.js';

interface ResendLogItem {
  id: string;
  created_at: string;
  /** Without the prefix of these routes. */
  endpoint: string;
  method: string;
  response_status: number;
  user_agent: string | null;
}
interface ResendLog extends ResendLogItem {
  object: 'log';
  /** Bodies are not stored. */
  request_body: null;
  response_body: null;
}

const PREFIX = new RegExp(`^/${RESEND}(?=/)`);

@Controller(`${RESEND}/logs`)
export class ResendLogsController {
  constructor(private readonly requests: RequestLog) {}

  @Get()
  @ResendRoute('api_keys.read')
  async list(@Caller() caller: Principal, @Query(QueryPipe) query: PageQuery): Promise<ResendList<ResendLogItem>> {
    return toResendList(await this.requests.list(caller, resendPageRequest(query, 'log'), {}), toResendLogItem);
  }

  @Get(':id')
  @ResendRoute('api_keys.read')
  async find(@Caller() caller: Principal, @Param('id', new ResendIdPipe('log')) id: string): Promise<ResendLog> {
    const request = orNotFound(await this.requests.find(caller, id));
    return { object: 'log', ...toResendLogItem(request), request_body: null, response_body: null };
  }
}

function toResendLogItem({ id, created_at, endpoint, method, response_status, user_agent }: LogDto): ResendLogItem {
  return {
    id: toResendId(id),
    created_at,
    endpoint: endpoint.replace(PREFIX, ''),
    method,
    response_status,
    user_agent,
  };
}
