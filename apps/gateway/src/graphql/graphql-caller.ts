import { assertScope, type Principal } from '#libs/accounts';
import { Refusal, type Scope } from '#libs/contracts';

/**
 * The caller of an operation. A resolver gets the principal only by naming the scope that its field requires, so a field
 * without a scope check cannot read any account.
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

/** The context of resolvers, over HTTP and WebSocket; created per operation. */
export interface GraphqlContext {
  caller: GraphqlCaller;
}
