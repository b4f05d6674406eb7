import { type DomainView, domainShapes } from '#libs/domains';
import type { ChangeDomainDto } from '../../rest/domains/domains.dto.js';
import { FieldRule } from '../../rest/validation/field-rule.decorator.js';

/**
 * Body of `PATCH /resend/domains/:id`. `capabilities` and `tracking_subdomain` are not supported: they are ignored and
 * listed in `x-ignored-fields`.
 */
export class ResendChangeDomainDto {
  @FieldRule(domainShapes.domain.ruleOf('open_tracking'), { nullable: true })
  open_tracking?: boolean | null;

  @FieldRule(domainShapes.domain.ruleOf('open_tracking'), { nullable: true })
  click_tracking?: boolean | null;

  @FieldRule(domainShapes.domain.ruleOf('tls'), { nullable: true })
  tls?: DomainView['tls'] | null;

  /** Not a field of Resend. */
  @FieldRule(domainShapes.domain.ruleOf('envelope'), { nullable: true })
  envelope?: DomainView['envelope'] | null;
}

/** Body of `POST /resend/domains`. `region` and `custom_return_path` are ignored as well. */
export class ResendCreateDomainDto extends ResendChangeDomainDto {
  @FieldRule(domainShapes.domain.ruleOf('name'), { required: true })
  name: string;
}

export function toDomainSettings({
  open_tracking,
  click_tracking,
  tls,
  envelope,
}: ResendChangeDomainDto): ChangeDomainDto {
  const given = Object.entries({ open_tracking, click_tracking, tls, envelope }).filter(([, value]) => value !== null);
  return Object.fromEntries(given);
}
