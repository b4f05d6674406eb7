import { Refusal, wholeAccount } from '#libs/contracts';
import type { ZoneView } from '#libs/dns';
import { databaseClock, type Config, type Log } from '#libs/kernel';
import type { DomainRow } from '../model/domain-row.js';
import type { DkimRotation } from './dkim-rotation.js';
import { freeVariant, keysIn } from './key-ring.js';
import { aliasTarget, KEY_ALGORITHMS, selectorFor } from './selector.js';

const DAY_MS = 86_400_000;

/** Starts rotations of domains whose next selectors are aliases of the service's own zone, so that no owner has to act. */
export class AutomaticRotation {
  constructor(
    private readonly rotation: DkimRotation,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** @param domain the row at the time of the check */
  async rotateIfDue(domain: DomainRow, zone: ZoneView): Promise<void> {
    if (!this.isDue(domain) || !(await this.hasAliases(domain, zone))) return;
    try {
      const view = await this.rotation.rotate({ visibility: wholeAccount(domain.account_id), id: domain.id });
      if (view !== null) this.log.info('DKIM key rotation started', { domain: domain.id });
    } catch (error) {
      // Another process was faster, or the domain changed. The next check is a day later.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  private isDue({ status, vouched, keys }: DomainRow): boolean {
    const days = this.config.settings.DKIM_ROTATION_DAYS;
    const since = keysIn(keys, 'active').map(({ switchedAt, createdAt }) => Date.parse(switchedAt ?? createdAt));
    if (days === 0 || since.length === 0 || status !== 'active' || vouched) return false;
    return keys.every(({ state }) => state === 'active') && databaseClock.now() - Math.max(...since) >= days * DAY_MS;
  }

  private async hasAliases({ id, name, selector, keys, findings }: DomainRow, zone: ZoneView): Promise<boolean> {
    const variant = freeVariant(keys, selector);
    const both = findings.some(({ slot, status }) => slot === 'dkim_ed25519' && status === 'verified');
    const next = KEY_ALGORITHMS.slice(0, both ? 2 : 1).map((algorithm) => selectorFor(selector, variant, algorithm));
    const found = next.map(async (at) => {
      const target = aliasTarget(id, at, this.config.settings.SERVICE_DOMAIN);
      for (const server of zone.servers) {
        const answer = await server.aliases(`${at}._domainkey.${name}`);
        if (answer.kind === 'found') return answer.values[0] === target;
      }
      return false;
    });
    return (await Promise.all(found)).every(Boolean);
  }
}
