import { assertScope, type Principal } from '#libs/accounts';
import { Refusal, type Scope } from '#libs/contracts';

/**
 * Who asks, for resolvers. The account is had only by naming the scope that the field needs, so a field that forgets to
 * ask for one has no account to read from.
 */
export class GraphqlCaller {
  constructor(private readonly principal: Principal | null | undefined) {}

  /** @throws Refusal `missing_api_key`, `restricted_api_key`. */
  allowed(scope: Scope): Principal {
    if (!this.principal) throw new Refusal('missing_api_key');
    assertScope(this.principal, scope);
    return this.principal;
  }
}

/** What every resolver gets, over HTTP and over the socket; made anew for each operation. */
export interface GraphqlContext {
  caller: GraphqlCaller;
}
