import { Refusal } from '#libs/contracts';
import { Config, Log } from '#libs/kernel';
import { Injectable } from '@nestjs/common';
import { DkimRotation } from '../dkim/dkim-rotation.js';
import { KEY_ALGORITHMS } from '../dkim/key-algorithm.js';
import { freePlace, keysIn } from '../dkim/key-ring.js';
import { aliasTarget, selectorAt } from '../dkim/selector.js';
import type { DomainRow } from '../domain-row.js';
import type { ZoneView } from './zone-view.js';

const DAY_MS = 86_400_000;

/** Begins rotations that need nobody's help: those of domains whose next names lead to the service's own zone. */
@Injectable()
export class AutomaticRotation {
  constructor(
    private readonly rotation: DkimRotation,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** @param domain as it was found when DNS was looked at */
  async consider(domain: DomainRow, zone: ZoneView): Promise<void> {
    if (!this.isDue(domain) || !(await this.followsByItself(domain, zone))) return;
    try {
      const view = await this.rotation.rotate({ accountId: domain.accountId, id: domain.id });
      if (view !== null) this.log.info('the keys of a domain are being rotated', { domain: domain.id });
    } catch (error) {
      // Somebody was faster, or the domain changed; it is considered again tomorrow.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  private isDue({ status, vouched, keys }: DomainRow): boolean {
    const days = this.config.settings.DKIM_ROTATION_DAYS;
    const since = keysIn(keys, 'active').map(({ switchedAt, createdAt }) => Date.parse(switchedAt ?? createdAt));
    if (days === 0 || since.length === 0 || status !== 'active' || vouched) return false;
    return keys.every(({ state }) => state === 'active') && Date.now() - Math.max(...since) >= days * DAY_MS;
  }

  private async followsByItself({ id, name, selector, keys, findings }: DomainRow, zone: ZoneView): Promise<boolean> {
    const place = freePlace(keys, selector);
    const both = findings.some(({ slot, status }) => slot === 'dkim_ed25519' && status === 'verified');
    const next = KEY_ALGORITHMS.slice(0, both ? 2 : 1).map((algorithm) => selectorAt(selector, place, algorithm));
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
