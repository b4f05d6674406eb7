import { entityOf } from '#libs/persistence';
import type { EntitySchema } from 'typeorm';
import { domain, type StoredDomain } from '../domain.resource.js';

export const DomainEntity: EntitySchema<StoredDomain> = entityOf(domain);
