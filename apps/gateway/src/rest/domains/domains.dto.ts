import type { ChangesOf } from '#libs/contracts';
import { domainShapes } from '#libs/domains';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';
import { DeletedProperty, IdProperty, KindProperty } from '../../openapi/properties.js';
import { QueryId } from '../validation/query-fields.js';

/** Body of `POST /domains`. */
export class CreateDomainDto extends bodyClass<{ name: string }>(domainShapes.domain, 'create') {}

/** Body of `PATCH /domains/:id`. Absent fields are not changed. */
export class ChangeDomainDto extends bodyClass<ChangesOf<typeof domainShapes.domain>>(domainShapes.domain, 'update') {}

export class DomainsQuery {
  @QueryId('dom', 'The id of a domain: the list starts after it. The `link` header contains the complete URL')
  after?: string;
}

export class DomainDto extends responseClass(domainShapes.domain) {}

export class DomainRecordDto extends responseClass(domainShapes.domainRecord) {}

export class DomainDeletedDto {
  @KindProperty('domain')
  object: 'domain';

  @IdProperty('dom')
  id: string;

  @DeletedProperty()
  deleted: true;
}
