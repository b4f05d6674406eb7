import { Refusal } from '#libs/contracts';
import type { Principal } from './principal.js';

/** @throws Refusal account_blocked or account_overdue (403). */
export function assertStanding(principal: Pick<Principal, 'standing'>): void {
  if (principal.standing === 'blocked') throw new Refusal('account_blocked');
  if (principal.standing === 'overdue') throw new Refusal('account_overdue');
}
