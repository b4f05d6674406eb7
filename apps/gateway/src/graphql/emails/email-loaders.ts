import { Injectable } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import type { Page } from '#libs/contracts';
import { EmailAttachments, EmailHistory, EmailQueries } from '#libs/emails';
import { EmailExplanation } from '#libs/queue';
import type DataLoader from 'dataloader';
import type { LinkedAttachmentDto } from '../../rest/emails/email-attachments.dto.js';
import type { AttemptDto, EmailEventDto, ExplanationDto } from '../../rest/emails/email-history.dto.js';
import type { EmailDto, EmailItemDto } from '../../rest/emails/emails.dto.js';
import { pageRequest, PageQuery } from '../../rest/list.dto.js';
import { pageParameters, type PageArgs } from '../connection.js';
import { queryDtoOf } from '../dto/input-type.js';
import { loader, pageLoader, PerOperation, type PageOf } from '../per-operation.js';

type Content = Pick<EmailDto, 'html' | 'text' | 'headers' | 'attachments'>;
export type LoadedContent = Content & { attachments: LinkedAttachmentDto[] };

interface Loaders {
  summaries: DataLoader<string, EmailItemDto | null>;
  details: DataLoader<string, Omit<EmailDto, keyof Content> | null>;
  contents: { load(id: string): Promise<LoadedContent> };
  events: DataLoader<PageOf<PageArgs>, Page<EmailEventDto>>;
  attempts: DataLoader<PageOf<PageArgs>, Page<AttemptDto>>;
  explanations: DataLoader<string, ExplanationDto | null>;
}

const EMPTY = { object: 'list' as const, has_more: false, data: [], next_cursor: null };

/** Loads emails and what belongs to them for nested fields. */
@Injectable()
export class EmailLoaders extends PerOperation<Loaders> {
  constructor(
    private readonly emails: EmailQueries,
    private readonly attachments: EmailAttachments,
    private readonly history: EmailHistory,
    private readonly explanation: EmailExplanation,
  ) {
    super();
  }

  protected override make(caller: Principal): Loaders {
    const contents = loader((ids) => this.emails.contents(caller, ids));
    return {
      summaries: loader((ids) => this.emails.summaries(caller, ids)),
      details: loader((ids) => this.emails.details(caller, ids)),
      contents: { load: async (id) => this.linked(caller, id, await contents.load(id)) },
      events: pageLoader((ids, page) => this.history.eventsOf(caller, ids, toRequest(page, 'evt')), EMPTY),
      attempts: pageLoader((ids, page) => this.history.attemptsOf(ids, toRequest(page, 'atm')), EMPTY),
      explanations: loader((ids) => this.explanation.explainAll(caller, ids)),
    };
  }

  private linked({ accountId }: Principal, id: string, content: Content | null): LoadedContent {
    const { html, text, headers, attachments } = content ?? NO_CONTENT;
    return { html, text, headers, attachments: attachments.map((one) => this.attachments.link(accountId, id, one)) };
  }
}

const NO_CONTENT: Content = { html: null, text: null, headers: {}, attachments: [] };

const toRequest = (page: PageArgs, prefix: 'evt' | 'atm') =>
  pageRequest(queryDtoOf(PageQuery, pageParameters(page)), prefix);
