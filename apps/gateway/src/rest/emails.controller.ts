import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { parseTimestamp } from '#libs/contracts';
import { EmailExplanation, EmailHistory, EmailList as Emails, EmailQueries, type EmailFilter } from '#libs/emails';
import { normaliseAddress } from '#libs/mime';
import { Caller } from '../http/caller.js';
import { RequiresScope } from '../http/route-access.js';
import { Operation } from '../openapi/operation.js';
import { AttemptList, EmailEventList, ExplanationDto } from './email-history.dto.js';
import { EmailDto, EmailList, EmailsQuery } from './emails.dto.js';
import { found } from './found.js';
import { pageRequest, PageQuery } from './list.dto.js';
import { QueryPipe } from './query-pipe.js';

const TAG = 'Emails';

/** What became of mail (D-10, D-11, D-30, D-31). */
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
    description: 'Newest first. Filters may be combined; an e-mail is listed when all of them are true of it.',
    answer: EmailList,
    refuses: [400],
  })
  list(@Caller() caller: Principal, @Query(QueryPipe) query: EmailsQuery): Promise<EmailList> {
    return this.emails.page(caller.accountId, filterOf(query), pageRequest(query, 'em'));
  }

  @Get(':id')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'Get an e-mail',
    description: 'With body and the state of each recipient. Bodies are kept for 30 days, all else for 90.',
    answer: EmailDto,
    refuses: [404],
  })
  async find(@Caller() caller: Principal, @Param('id') id: string): Promise<EmailDto> {
    return found(await this.queries.find(caller.accountId, id));
  }

  @Get(':id/events')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'List the events of an e-mail',
    description: 'In the order in which they happened: `after` an event come newer ones.',
    answer: EmailEventList,
    refuses: [400, 404],
  })
  async events(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query(QueryPipe) query: PageQuery,
  ): Promise<EmailEventList> {
    return found(await this.history.events(caller.accountId, id, pageRequest(query, 'evt')));
  }

  @Get(':id/attempts')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'List the attempts to deliver an e-mail',
    description: 'Every attempt for every recipient, newest first, with the words of the receiving server.',
    answer: AttemptList,
    refuses: [400, 404],
  })
  async attempts(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query(QueryPipe) query: PageQuery,
  ): Promise<AttemptList> {
    return found(await this.history.attempts(caller.accountId, id, pageRequest(query, 'atm')));
  }

  @Get(':id/explain')
  @RequiresScope('emails.read')
  @Operation({
    tag: TAG,
    summary: 'Explain where an e-mail is',
    description: 'For each recipient: what it waits for, until when, and which words of which server caused that.',
    answer: ExplanationDto,
    refuses: [404],
  })
  async explain(@Caller() caller: Principal, @Param('id') id: string): Promise<ExplanationDto> {
    return found(await this.explanation.explain(caller.accountId, id));
  }
}

function filterOf(query: EmailsQuery): EmailFilter {
  const { status, last_event, to, from, domain, subject, tags, created_after, created_before, scheduled } = query;
  return {
    status,
    lastEvent: last_event,
    to: to === undefined ? undefined : normaliseAddress(to),
    from: from === undefined ? undefined : normaliseAddress(from),
    domain,
    subject,
    tags,
    createdAfter: instant(created_after),
    createdBefore: instant(created_before),
    scheduled: scheduled === 'true',
  };
}

const instant = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : (parseTimestamp(text) ?? undefined);
