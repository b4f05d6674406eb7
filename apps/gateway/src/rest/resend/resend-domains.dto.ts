import { domainNameRule, tlsPolicyRule, trackingRule, type DomainSettings, type TlsPolicy } from '#libs/domains';
import { ByRule } from '../by-rule.js';
import { orNull } from './or-null.js';

/**
 * Body of `PATCH /resend/domains/:id`. `capabilities` and `tracking_subdomain` cannot be chosen here: they are accepted
 * and named in `x-ignored-fields`.
 */
export class ResendChangeDomainDto {
  @ByRule(orNull(trackingRule))
  open_tracking?: boolean | null;

  @ByRule(orNull(trackingRule))
  click_tracking?: boolean | null;

  @ByRule(orNull(tlsPolicyRule))
  tls?: TlsPolicy | null;
}

/** Body of `POST /resend/domains`; the same for `region` and `custom_return_path`. */
export class ResendCreateDomainDto extends ResendChangeDomainDto {
  @ByRule(domainNameRule, { required: true })
  name: string;
}

export function resendDomainSettings({ open_tracking, click_tracking, tls }: ResendChangeDomainDto): DomainSettings {
  return {
    openTracking: open_tracking ?? undefined,
    clickTracking: click_tracking ?? undefined,
    tls: tls ?? undefined,
  };
}
