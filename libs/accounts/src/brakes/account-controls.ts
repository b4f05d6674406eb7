import type { AbuseLimits, AccountPenalty, PoolChoice } from '../account.resource.js';
import type { Config } from '#libs/kernel';
import type { Queryable } from '#libs/persistence';

/** Decisions about the sending of an account, apart from its outcomes. */
export interface AccountControls {
  poolChoice: PoolChoice;
  penalty: AccountPenalty | null;
  abuseLimits: AbuseLimits;
}

type LimitSettings = Pick<
  Config['settings'],
  'ABUSE_MINIMUM_RECIPIENTS' | 'ABUSE_BOUNCE_PERCENT' | 'ABUSE_COMPLAINT_PERCENT'
>;

export function withOwnLimits(settings: LimitSettings, own: AbuseLimits): LimitSettings {
  return {
    ABUSE_MINIMUM_RECIPIENTS: settings.ABUSE_MINIMUM_RECIPIENTS,
    ABUSE_BOUNCE_PERCENT: own.bounce_percent ?? settings.ABUSE_BOUNCE_PERCENT,
    ABUSE_COMPLAINT_PERCENT: own.complaint_percent ?? settings.ABUSE_COMPLAINT_PERCENT,
  };
}

export async function controlsOf(db: Queryable, ids: readonly string[]): Promise<Map<string, AccountControls>> {
  const { rows } = await db.query<AccountControls & { id: string }>({
    name: 'account-controls',
    text: `SELECT id, pool_choice AS "poolChoice", penalty, abuse_limits AS "abuseLimits" FROM accounts WHERE id = ANY($1::text[])`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}
