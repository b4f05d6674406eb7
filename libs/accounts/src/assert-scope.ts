import { Refusal, type Scope } from '#libs/contracts';
import type { Principal } from './principal.js';

/** @throws Refusal restricted_api_key (403) when the key may not do what `scope` names. */
export function assertScope(principal: Pick<Principal, 'scopes'>, scope: Scope): void {
  if (principal.scopes.has(scope)) return;
  throw new Refusal('restricted_api_key', [], `This API key lacks the scope ${scope}.`);
}
