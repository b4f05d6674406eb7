import { DomainsResolver } from './domains.resolver.js';
import { EmailsResolver } from './emails.resolver.js';

/** Every resolver of the schema; the generator of `schema.gql` reads the same list. */
export const RESOLVERS = [DomainsResolver, EmailsResolver];
