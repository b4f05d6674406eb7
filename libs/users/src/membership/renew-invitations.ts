import { OPERATOR, type AuditLog } from '#libs/accounts';
import type { Role } from '#libs/contracts';
import type { Database } from '#libs/persistence';
import { newToken, tokenHash } from '../credentials/token.js';
import type { Letter } from '../letter.js';
import { normaliseEmail } from '../user-rules.js';
import { INVITATION_DAYS } from './invitations.js';

export interface RenewedInvitation {
  accountId: string;
  accountName: string;
  letter: Extract<Letter, { kind: 'invitation' }>;
}

interface Row {
  id: string;
  email: string;
  role: Role;
  accountId: string;
  accountName: string;
  invitedBy: { name: string; email: string };
}

const OPEN = `
  SELECT i.id, i.email, i.role, i.account_id AS "accountId", a.name AS "accountName",
         coalesce((SELECT json_build_object('name', u.name, 'email', u.email) FROM users u WHERE u.id = i.invited_by),
                  json_build_object('name', '', 'email', '')) AS "invitedBy"
    FROM invitations i JOIN accounts a ON a.id = i.account_id
   WHERE i.email = $1 AND i.expires_at > now() ORDER BY i.id FOR UPDATE OF i`;

const RENEW = `
  UPDATE invitations SET token_hash = $2, expires_at = now() + make_interval(days => $3) WHERE id = $1`;

/**
 * New links for the open invitations of an address, at the request of the operator. The earlier links end: only digests of
 * them are stored.
 */
export function renewInvitations(database: Database, audit: AuditLog, address: string): Promise<RenewedInvitation[]> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<Row>(OPEN, [normaliseEmail(address)]);
    const renewed: RenewedInvitation[] = [];
    for (const { id, email, role, accountId, accountName, invitedBy } of rows) {
      const token = newToken();
      await tx.query(RENEW, [id, tokenHash(token), INVITATION_DAYS]);
      const details = { email, role };
      await audit.record(tx, { accountId, actor: OPERATOR, action: 'invitation.resent', target: id, details });
      const letter: RenewedInvitation['letter'] = {
        kind: 'invitation',
        to: email,
        token,
        role,
        accountName,
        invitedBy,
      };
      renewed.push({ accountId, accountName, letter });
    }
    return renewed;
  });
}
