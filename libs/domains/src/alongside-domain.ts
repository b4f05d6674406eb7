import type { Queryable } from '#libs/persistence';
import type { DomainEntity } from './domain.entity.js';

/** What else is written in the transaction that adds or removes a domain. */
export type AlongsideDomain = (tx: Queryable, domain: Pick<DomainEntity, 'accountId' | 'id' | 'name'>) => Promise<void>;
