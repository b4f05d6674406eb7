import type { SuppressionEntity, SuppressionEvidence, SuppressionOrigin } from '../suppression.entity.js';

/** The API representation of an entry. */
export interface SuppressionView {
  id: string;
  object: 'suppression';
  /** Normalised. */
  email: string;
  origin: SuppressionOrigin;
  reason: string | null;
  source_id: string | null;
  /** Applies to all mail of the account, or only to that of the domain `domain_id`. */
  scope: 'account' | 'domain';
  domain_id: string | null;
  /** ISO 8601 UTC. */
  created_at: string;
  expires_at: string | null;
  evidence: SuppressionEvidence | null;
}

export function toSuppressionView(row: SuppressionEntity): SuppressionView {
  return {
    id: row.id,
    object: 'suppression',
    email: row.address,
    origin: row.origin,
    reason: row.reason,
    source_id: row.sourceId,
    scope: row.domainId === null ? 'account' : 'domain',
    domain_id: row.domainId,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    evidence: row.evidence,
  };
}
