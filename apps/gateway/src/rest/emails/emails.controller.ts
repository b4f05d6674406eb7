import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { EmailHistory, EmailList as Emails, EmailQueries } from '#libs/emails';
import { EmailExplanation } from '#libs/queue';
import { Caller } from '../../http/caller.js';
import { RequiresScope } from '../../http/route-access.js';
import { Operation } from '../../openapi/operation.js';
import { AttemptList, AttemptsQuery, EmailEventList, EmailEventsQuery, ExplanationDto } from './email-history.dto.js';
import { toEmailFilter } from './email-filter.js';
import { EmailDto, EmailList, EmailsQuery } from './emails.dto.js';
import { orNotFound } from '../or-not-found.js';
import { pageRequest } from '../list.dto.js';
import { QueryPipe } from '../validation/query-pipe.js';

const TAG = 'Emails';

/** Reads e-mails, their events and their delivery attempts. */
@Controller('emails')
export class EmailsController {
  constructor(
    private readonly emails: Emails,
    private readonly queries: EmailQueries,
    private readonly history: EmailHistory,
    private readonly explanation: EmailExplanation,
  ) {}

  @Get()
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'List e-mails',
    description: 'Newest first. Filters can be combined; an e-mail must match all of them.',
    response: EmailList,
    errors: [400],
  })
  list(@Caller() caller: Principal, @Query(QueryPipe) query: EmailsQuery): Promise<EmailList> {
    return this.emails.page(caller, toEmailFilter(query), pageRequest(query, 'em'));
  }

  @Get(':id')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'Get an e-mail',
    description:
      'With bodies and the status of each recipient. By default, bodies are kept for 30 days and everything else for 90 days; a domain can have a shorter period for bodies.',
    response: EmailDto,
    errors: [404],
  })
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<EmailDto> {
    return orNotFound(await this.queries.find(caller, id));
  }

  @Get(':id/events')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'List the events of an e-mail',
    description: 'Oldest first: `after` returns the events that follow.',
    response: EmailEventList,
    errors: [400, 404],
  })
  async events(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query(QueryPipe) query: EmailEventsQuery,
  ): Promise<EmailEventList> {
    return orNotFound(await this.history.events(caller, id, pageRequest(query, 'evt')));
  }

  @Get(':id/attempts')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'List the delivery attempts of an e-mail',
    description: 'All attempts for all recipients, newest first, with the reply of the receiving server.',
    response: AttemptList,
    errors: [400, 404],
  })
  async attempts(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query(QueryPipe) query: AttemptsQuery,
  ): Promise<AttemptList> {
    return orNotFound(await this.history.attempts(caller, id, pageRequest(query, 'atm')));
  }

  @Get(':id/explain')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'Explain the state of an e-mail',
    description: 'For each recipient: the reason for waiting, until when, and the server reply that caused it.',
    response: ExplanationDto,
    errors: [404],
  })
  async explain(@Caller() caller: Principal, @Param('id') id: string): Promise<ExplanationDto> {
    return orNotFound(await this.explanation.explain(caller, id));
  }
}
