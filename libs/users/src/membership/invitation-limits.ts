import { hash } from 'node:crypto';
import { LIMITS, Refusal } from '#libs/contracts';
import { clientNetwork } from '#libs/kernel';
import type { Queryable } from '#libs/persistence';

/** An invitation that is about to be sent. */
interface Invited {
  accountId: string;
  /** Normalised. */
  email: string;
  /** The address of the client. */
  ip: string | undefined;
}

interface Counts {
  account: number;
  address: number;
  network: number;
  open: number;
}

const RETRY_SECONDS = 3_600;

const COUNT = `
  SELECT count(*) FILTER (WHERE account_id = $1)::int AS account, count(*) FILTER (WHERE address_hash = $2)::int AS address,
         count(*) FILTER (WHERE network = $3)::int AS network,
         (SELECT count(*)::int FROM invitations WHERE account_id = $1 AND email <> $4 AND expires_at > now()) AS open
    FROM invitation_messages`;

/**
 * Counts an invitation in its transaction. An account costs nothing with open sign-up, so the address and the network count
 * over all accounts, and revoked invitations count as well: each was a message.
 * @throws Refusal rate_limit_exceeded; conflict with too many open ones
 */
export async function countInvitation(tx: Queryable, { accountId, email, ip = '' }: Invited): Promise<void> {
  // Invitations are rare, and one at a time cannot exceed a limit.
  await tx.query('LOCK TABLE invitation_messages IN SHARE ROW EXCLUSIVE MODE');
  await tx.query(`DELETE FROM invitation_messages WHERE sent_at < now() - interval '1 day'`);
  const of = [accountId, hash('sha256', email, 'buffer'), clientNetwork(ip)];
  const { rows } = await tx.query<Counts>(COUNT, [...of, email]);
  assertWithin(rows[0]);
  await tx.query('INSERT INTO invitation_messages (account_id, address_hash, network) VALUES ($1, $2, $3)', of);
}

function assertWithin({ account, address, network, open }: Counts): void {
  if (open >= LIMITS.openInvitations)
    throw new Refusal(
      'conflict',
      [
        {
          field: 'email',
          code: 'too_many',
          message: `must be one of at most ${LIMITS.openInvitations} open invitations`,
        },
      ],
      'The account has too many open invitations. Revoke some first.',
    );
  if (address >= LIMITS.invitationsPerAddress) throw tooMany('address', LIMITS.invitationsPerAddress);
  if (account >= LIMITS.invitationsPerAccount) throw tooMany('account', LIMITS.invitationsPerAccount);
  if (network >= LIMITS.invitationsPerNetwork) throw tooMany('network', LIMITS.invitationsPerNetwork);
}

function tooMany(of: string, most: number): Refusal {
  const detail = {
    field: 'email',
    code: 'too_many_invitations',
    message: `must be one of at most ${most} invitations a day per ${of}`,
  };
  return new Refusal(
    'rate_limit_exceeded',
    [detail],
    'Too many invitations within a day. Try again later.',
    RETRY_SECONDS,
  );
}
