import type { AuditLog, Principal } from '#libs/accounts';
import { parseTimestamp, Refusal } from '#libs/contracts';
import { normaliseAddress } from '#libs/mime';
import type { NewSuppression, RemovalOptions, SuppressionRemoval } from '#libs/suppressions';
import type { SuppressionDto } from './suppressions.dto.js';
import type { SuppressDto } from './suppressions.dto.js';

/** The entry that a validated request describes. */
export function toSuppression(dto: SuppressDto): Omit<NewSuppression, 'accountId'> {
  const { email, reason = null, expires_at: expires = null, domain_id: domainId = null } = dto;
  return {
    address: normaliseAddress(email),
    origin: 'manual',
    reason,
    sourceId: null,
    expiresAt: expires === null ? null : parseTimestamp(expires),
    domainId,
  };
}

/** Removal by `caller`. Each removed entry is recorded in the audit log. */
export function removalOptions({ accountId, keyId, ip }: Principal, audit: AuditLog, force: boolean): RemovalOptions {
  const entryOf = ({ id, email, origin, source_id, domain_id }: SuppressionDto) => ({
    accountId,
    actor: keyId,
    ip,
    action: 'suppression.removed',
    target: id,
    details: { email, origin, source_id, domain_id, force },
  });
  return { force, onRemoved: (tx, removed) => audit.record(tx, ...removed.map(entryOf)) };
}

/** The removed entry. @throws Refusal `not_found`, `restricted_api_key`, or `conflict` for a complaint that needs force. */
export function removedOrRefused(removal: SuppressionRemoval): SuppressionDto {
  switch (removal.outcome) {
    case 'removed':
      return removal.entry;
    case 'needs_force':
      throw new Refusal(
        'conflict',
        [{ field: 'force', code: 'complaint_needs_force', message: 'must be true to take away a complaint' }],
        'Somebody complained about mail to this address. Give force=true to take it off the list.',
      );
    case 'restricted':
      throw new Refusal(
        'restricted_api_key',
        [],
        'An API key that is limited to domains may not change entries of the account.',
      );
    case 'unknown':
      throw new Refusal('not_found');
  }
}
