import { Refusal } from '#libs/contracts';
import type { Principal } from './principal.js';

/** @throws Refusal restricted_api_key (403) when the key may not be used from the client's `address`. */
export function assertAddress(principal: Pick<Principal, 'allowedIps'>, address: string): void {
  if (principal.allowedIps === null || principal.allowedIps.includes(address)) return;
  throw new Refusal('restricted_api_key', [], 'This API key may not be used from your address.');
}
