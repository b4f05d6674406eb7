import { Injectable } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import type { Page } from '#libs/contracts';
import {
  EmailAttachments,
  EmailHistory,
  EmailQueries,
  type AttemptView,
  type EmailContentView,
  type EmailDetails,
  type EmailSummary,
  type EventView,
  type LinkedAttachmentView,
} from '#libs/emails';
import { EmailExplanation, type EmailExplanationView } from '#libs/queue';
import type DataLoader from 'dataloader';
import { pageRequest, PageQuery } from '../../rest/list.dto.js';
import { pageParameters, type PageArgs } from '../connection.js';
import { queryDtoOf } from '../dto/input-type.js';
import { loader, pageLoader, PerOperation, type PageOf } from '../per-operation.js';

export interface LoadedContent {
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  attachments: LinkedAttachmentView[];
}

interface Loaders {
  summaries: DataLoader<string, EmailSummary | null>;
  details: DataLoader<string, EmailDetails | null>;
  contents: { load(id: string): Promise<LoadedContent> };
  events: DataLoader<PageOf<PageArgs>, Page<EventView>>;
  attempts: DataLoader<PageOf<PageArgs>, Page<AttemptView>>;
  explanations: DataLoader<string, EmailExplanationView | null>;
}

const EMPTY = { object: 'list' as const, has_more: false, data: [], next_cursor: null };

/** Loads e-mails and what belongs to them for nested fields. */
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

  private linked({ accountId }: Principal, id: string, content: EmailContentView | null): LoadedContent {
    const { html, text, headers, attachments } = content ?? NO_CONTENT;
    return { html, text, headers, attachments: attachments.map((one) => this.attachments.link(accountId, id, one)) };
  }
}

const NO_CONTENT: EmailContentView = { html: null, text: null, headers: {}, attachments: [] };

const toRequest = (page: PageArgs, prefix: 'evt' | 'atm') =>
  pageRequest(queryDtoOf(PageQuery, pageParameters(page)), prefix);
