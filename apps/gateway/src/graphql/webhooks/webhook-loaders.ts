import { Injectable } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import type { Page } from '#libs/contracts';
import { WebhookDeliveryLog } from '#libs/webhooks';
import type { WebhookAttemptDto } from '../../rest/webhooks/webhook-events.dto.js';
import type { WebhookEventDto } from '../../rest/webhooks/webhook-events.dto.js';
import type DataLoader from 'dataloader';
import { pageRequest, PageQuery } from '../../rest/list.dto.js';
import { WebhookEventsQuery } from '../../rest/webhooks/webhook-events.dto.js';
import { toDeliveryFilter } from '../../rest/webhooks/delivery-filter.js';
import { pageParameters, type PageArgs } from '../connection.js';
import { queryDtoOf, type QueryParameters } from '../dto/input-type.js';
import { loader, pageLoader, PerOperation, type PageOf } from '../per-operation.js';

interface Loaders {
  deliveries: DataLoader<PageOf<QueryParameters>, Page<WebhookEventDto>>;
  payloads: DataLoader<string, object | null>;
  calls: DataLoader<PageOf<PageArgs>, Page<WebhookAttemptDto>>;
}

const EMPTY = { object: 'list' as const, has_more: false, data: [], next_cursor: null };

/** Loads the events of webhooks, and their calls, for nested fields. */
@Injectable()
export class WebhookLoaders extends PerOperation<Loaders> {
  constructor(private readonly log: WebhookDeliveryLog) {
    super();
  }

  protected override make(caller: Principal): Loaders {
    return {
      deliveries: pageLoader((ids, parameters) => this.deliveriesOf(caller, ids, parameters), EMPTY),
      payloads: loader((ids) => this.log.payloads(caller, ids)),
      calls: pageLoader(
        (ids, page) => this.log.callsOf(caller, ids, pageRequest(queryDtoOf(PageQuery, pageParameters(page)), 'atm')),
        EMPTY,
      ),
    };
  }

  /** One statement per webhook: an account has ten at most, and each page begins at a cursor of its own. */
  private async deliveriesOf(
    caller: Principal,
    ids: readonly string[],
    parameters: QueryParameters,
  ): Promise<Map<string, Page<WebhookEventDto>>> {
    const query = queryDtoOf(WebhookEventsQuery, parameters);
    const request = { filter: toDeliveryFilter(query), page: pageRequest(query, 'evt') };
    const pages = new Map<string, Page<WebhookEventDto>>();
    for (const id of ids) {
      const page = await this.log.list(caller, id, request);
      if (page !== null) pages.set(id, page);
    }
    return pages;
  }
}
