import { domain, type DomainSettings, type DomainView } from '#libs/domains';
import { FieldRule } from '../../rest/validation/field-rule.decorator.js';

/**
 * Body of `PATCH /resend/domains/:id`. `capabilities` and `tracking_subdomain` are not supported: they are ignored and
 * listed in `x-ignored-fields`.
 */
export class ResendChangeDomainDto {
  @FieldRule(domain.ruleOf('open_tracking'), { nullable: true })
  open_tracking?: boolean | null;

  @FieldRule(domain.ruleOf('open_tracking'), { nullable: true })
  click_tracking?: boolean | null;

  @FieldRule(domain.ruleOf('tls'), { nullable: true })
  tls?: DomainView['tls'] | null;

  /** Not a field of Resend. */
  @FieldRule(domain.ruleOf('envelope'), { nullable: true })
  envelope?: DomainView['envelope'] | null;
}

/** Body of `POST /resend/domains`. `region` and `custom_return_path` are ignored as well. */
export class ResendCreateDomainDto extends ResendChangeDomainDto {
  @FieldRule(domain.ruleOf('name'), { required: true })
  name: string;
}

export function toDomainSettings({
  open_tracking,
  click_tracking,
  tls,
  envelope,
}: ResendChangeDomainDto): DomainSettings {
  const given = Object.entries({ open_tracking, click_tracking, tls, envelope }).filter(([, value]) => value !== null);
  return Object.fromEntries(given);
}
