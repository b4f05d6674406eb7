import { Injectable } from '@nestjs/common';
import { ApiKeys } from '#libs/accounts';
import { DomainEntries, type DomainSettings, type DomainView } from '#libs/domains';
import { keepDomainList, takeBackDomainList } from '#libs/suppressions';

/** An account's domains with what hangs on them: keys that are limited to one, and its list. */
@Injectable()
export class AccountDomains {
  constructor(
    private readonly entries: DomainEntries,
    private readonly keys: ApiKeys,
  ) {}

  /** As `DomainEntries.add`; the list of a domain that the account had under this name counts again. */
  add(accountId: string, name: string, settings: DomainSettings = {}): Promise<DomainView> {
    return this.entries.add(accountId, name, {
      ...settings,
      alongside: (tx, domain) => takeBackDomainList(tx, domain),
    });
  }

  /** Keys that are limited to the domain are disabled, its list stays. Whether it was there. */
  remove(accountId: string, id: string): Promise<boolean> {
    return this.entries.remove(accountId, id, async (tx, domain) => {
      await this.keys.domainRemoved(tx, accountId, id);
      await keepDomainList(tx, domain);
    });
  }
}
