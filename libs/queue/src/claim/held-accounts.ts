import type { Accounts } from '#libs/accounts';
import { systemMail, type DeliveryJob } from '#libs/emails';
import { TtlCache } from '#libs/kernel';
import { GroupCommit } from '#libs/persistence';

/** A blocked or paused account sends nothing more after this long. */
const CACHE_MS = 1_000;
const CACHED_ACCOUNTS = 20_000;
const GROUP_ITEMS = 500;

/** Of an account: `all` mail is held, `live` mail is held, or nothing. */
export type Hold = 'all' | 'live' | 'none';

/**
 * Whether mail that is already claimed must not be sent any more. Needed for every mail, so answers are cached for a second
 * and look-ups share queries.
 */
export class HeldAccounts {
  private readonly holds: TtlCache<Hold>;

  constructor(
    accounts: Accounts,
    private readonly serviceDomain: string,
  ) {
    const lookups = new GroupCommit<string, Hold>({
      commit: async (ids) => {
        const found = new Map((await accounts.findAll(ids)).map((account) => [account.id, account]));
        return ids.map((id) => holdOf(found.get(id)));
      },
      maxItems: GROUP_ITEMS,
    });
    this.holds = new TtlCache({ load: (id) => lookups.add(id), ttlMs: CACHE_MS, maxEntries: CACHED_ACCOUNTS });
  }

  /** False while the database cannot tell, as if the account had not changed since the claim. */
  async has({ email }: DeliveryJob): Promise<boolean> {
    const hold = await this.holds.get(email.accountId).catch(() => 'none' as const);
    return hold === 'all' || (hold === 'live' && systemMail.stopsWhilePaused(email, this.serviceDomain));
  }
}

export function holdOf(account: Awaited<ReturnType<Accounts['find']>> | undefined): Hold {
  if (account?.standing !== 'active') return 'all';
  return account.sending_pause === null ? 'none' : 'live';
}
