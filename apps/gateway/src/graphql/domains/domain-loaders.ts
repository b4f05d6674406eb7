import { Injectable } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { SendingDomains, type DomainView } from '#libs/domains';
import type DataLoader from 'dataloader';
import { loader, PerOperation } from '../per-operation.js';

/** Loads domains for nested fields. */
@Injectable()
export class DomainLoaders extends PerOperation<{ byId: DataLoader<string, DomainView | null> }> {
  constructor(private readonly domains: SendingDomains) {
    super();
  }

  protected override make(caller: Principal) {
    return { byId: loader((ids) => this.domains.views(caller, ids)) };
  }
}
