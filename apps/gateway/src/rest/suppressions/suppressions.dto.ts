import { type SuppressionOrigin, suppressionShapes } from '#libs/suppressions';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';
import { DeletedProperty, IdProperty, KindProperty, TextProperty } from '../../openapi/properties.js';
import { listOf, pageQueryOf } from '../list.dto.js';
import { QueryEnum, QueryId, QueryText } from '../validation/query-fields.js';

const { email, origin } = suppressionShapes.suppression.fields;
export const SUPPRESSED_ADDRESS = email.schema.example as string;

type NewEntry = Pick<SuppressionDto, 'email'> & Partial<Pick<SuppressionDto, 'reason' | 'expires_at' | 'domain_id'>>;

/** Body of `POST /suppressions`, and one entry of a batch. */
export class SuppressDto extends bodyClass<NewEntry>(suppressionShapes.suppression, 'create') {}

export class SuppressionsQuery extends pageQueryOf('sup') {
  @QueryEnum(origin.words, { description: 'Only entries of this origin', example: 'bounce' })
  origin?: SuppressionOrigin;

  @QueryText(
    'The beginning of the address, or `@` and a domain for all addresses of exactly this domain',
    '@example.net',
  )
  q?: string;

  @QueryText(
    'Only entries with this text in the address or in the reason, ignoring case. A page may then have fewer entries than `limit`, or none, although `has_more` is true: `next_cursor` continues the search',
    'example',
  )
  search?: string;

  @QueryId('dom', 'Only entries of this sending domain, without those of the whole account')
  domain_id?: string;

  @QueryEnum(['true', 'false'], { default: 'false', description: 'Whether to include expired entries' })
  expired?: string;
}

/** The list that an address is looked up on. */
export class SuppressionQuery {
  @QueryId('dom', 'The entry of this sending domain; if absent, that of the whole account. Not needed with an id')
  domain_id?: string;
}

export class RemoveSuppressionQuery extends SuppressionQuery {
  @QueryEnum(['true', 'false'], { default: 'false', description: 'Must be true to remove a complaint' })
  force?: string;
}

export class SuppressionDto extends responseClass(suppressionShapes.suppression) {}

export class SuppressionPage extends listOf(SuppressionDto, 'sup') {}

export class SuppressionDeletedDto {
  @KindProperty('suppression')
  object: 'suppression';

  @IdProperty('sup')
  id: string;

  @TextProperty('The address that is no longer suppressed', SUPPRESSED_ADDRESS)
  email: string;

  @DeletedProperty()
  deleted: true;
}
