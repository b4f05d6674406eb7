import { Injectable } from '@nestjs/common';
import { ApiKeys } from '#libs/accounts';
import { Refusal, assertDomainsVisible, type RefusalDetail, type Visibility } from '#libs/contracts';
import { DomainEntries, SendingDomains, type DomainView } from '#libs/domains';
import type { ChangeDomainDto } from './domains.dto.js';
import { RemovedDomainMail } from '#libs/queue';
import { domainSuppressions } from '#libs/suppressions';

const MAX_PROBLEMS = 100;

/** The domains of an account together with the API keys restricted to them and their suppression lists. */
@Injectable()
export class AccountDomains {
  constructor(
    private readonly entries: DomainEntries,
    private readonly keys: ApiKeys,
    private readonly domains: SendingDomains,
    private readonly removedMail: RemovedDomainMail,
  ) {}

  /** As `DomainEntries.add`. The suppressions of an earlier domain of the account with this name apply again. */
  add(accountId: string, name: string, settings: ChangeDomainDto = {}): Promise<DomainView> {
    return this.entries.add(accountId, name, {
      ...settings,
      alongside: (tx, domain) => domainSuppressions.restore(tx, domain),
    });
  }

  /**
   * Disables API keys restricted to the domain, keeps its suppressions, and makes its waiting mail due, which then fails.
   * False when the key sees no such domain.
   */
  async remove(visibility: Visibility, id: string): Promise<boolean> {
    const removed = await this.entries.remove(visibility, id, async (tx, domain) => {
      await this.keys.domainRemoved(tx, visibility.accountId, id);
      await domainSuppressions.keep(tx, domain);
    });
    if (removed) await this.removedMail.makeDue(visibility.accountId, id);
    return removed;
  }

  /** The ids of the domains that the key sees. */
  async ids(visibility: Visibility): Promise<Set<string>> {
    return new Set((await this.domains.list(visibility)).map(({ id }) => id));
  }

  /**
   * A domain of another account is refused like one that does not exist.
   * @param given ids of domains, each with its path in the request
   * @throws Refusal `restricted_api_key` for domains that the key does not see, `validation_error` with the ids that are not
   * domains of the account
   */
  async requireOwn(
    visibility: Visibility,
    given: readonly { field: string; id: string | null | undefined }[],
  ): Promise<void> {
    const named = given.flatMap(({ field, id }) => (id === null || id === undefined ? [] : [{ field, id }]));
    assertDomainsVisible(visibility, named);
    const known = new Map<string, boolean>();
    const problems: RefusalDetail[] = [];
    for (const { field, id } of named) {
      // Sequential, because a hundred parallel queries would occupy the connection pool.
      const own = known.get(id) ?? (await this.domains.find(visibility, id)) !== null;
      known.set(id, own);
      if (!own) problems.push({ field, code: 'unknown_domain', message: 'must be a domain of this account' });
      if (problems.length === MAX_PROBLEMS) break;
    }
    if (problems.length > 0) throw Refusal.ofFields(problems);
  }
}
