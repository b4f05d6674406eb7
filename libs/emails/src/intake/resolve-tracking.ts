import { Refusal, type RefusalDetail } from '#libs/contracts';
import type { ActiveDomain } from '#libs/domains';
import type { Tracking } from '../message/delivery-job.js';
import type { Submission } from './submission.js';

/**
 * Returns the settings of the domain, overridden by those of the message; null if neither opens nor clicks are tracked, and
 * for a message without HTML. Settings of a domain whose tracking host is not verified have no effect.
 * @throws Refusal `tracking_domain_not_verified` if the message itself asks for it
 */
export function resolveTracking(domain: ActiveDomain, { tracking = {}, content }: Submission): Tracking | null {
  if (!domain.canTrack) {
    const asked = (['opens', 'clicks'] as const).filter((kind) => tracking[kind]);
    if (asked.length > 0)
      throw new Refusal(
        'tracking_domain_not_verified',
        asked.map((kind) => problem(kind, domain)),
      );
    return null;
  }
  if (content.format === 'parts' && content.html === undefined) return null;
  const { opens = domain.openTracking, clicks = domain.clickTracking } = tracking;
  return opens || clicks ? { opens, clicks } : null;
}

const problem = (kind: string, { name }: ActiveDomain): RefusalDetail => ({
  field: `tracking.${kind}`,
  code: 'tracking_domain_not_verified',
  message: `needs a verified CNAME record track.${name}, see the records of the domain`,
});
