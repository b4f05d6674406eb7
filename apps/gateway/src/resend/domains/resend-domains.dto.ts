import {
  domainNameRule,
  envelopePolicyRule,
  tlsPolicyRule,
  trackingRule,
  type DomainSettings,
  type EnvelopePolicy,
  type TlsPolicy,
} from '#libs/domains';
import { FieldRule } from '../../rest/validation/field-rule.decorator.js';

/**
 * Body of `PATCH /resend/domains/:id`. `capabilities` and `tracking_subdomain` are not supported: they are ignored and
 * listed in `x-ignored-fields`.
 */
export class ResendChangeDomainDto {
  @FieldRule(trackingRule, { nullable: true })
  open_tracking?: boolean | null;

  @FieldRule(trackingRule, { nullable: true })
  click_tracking?: boolean | null;

  @FieldRule(tlsPolicyRule, { nullable: true })
  tls?: TlsPolicy | null;

  /** Not a field of Resend. */
  @FieldRule(envelopePolicyRule, { nullable: true })
  envelope?: EnvelopePolicy | null;
}

/** Body of `POST /resend/domains`. `region` and `custom_return_path` are ignored as well. */
export class ResendCreateDomainDto extends ResendChangeDomainDto {
  @FieldRule(domainNameRule, { required: true })
  name: string;
}

export function toDomainSettings({
  open_tracking,
  click_tracking,
  tls,
  envelope,
}: ResendChangeDomainDto): DomainSettings {
  return {
    openTracking: open_tracking ?? undefined,
    clickTracking: click_tracking ?? undefined,
    tls: tls ?? undefined,
    envelope: envelope ?? undefined,
  };
}
