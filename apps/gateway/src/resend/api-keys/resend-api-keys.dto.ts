import { accountShapes } from '#libs/accounts';
import { isId, type Permission } from '#libs/contracts';
import type { Rule } from '#libs/contracts';
import { FieldRule } from '../../rest/validation/field-rule.decorator.js';
import { fromResendId } from '../resend-id.js';

const domainIdRule: Rule = (value) =>
  typeof value === 'string' && isId('dom', fromResendId('dom', value))
    ? []
    : [{ path: '', code: 'invalid_value', message: 'must be the id of a domain' }];

/** Body of `PATCH /resend/api-keys/:id`. */
export class ResendChangeApiKeyDto {
  @FieldRule(accountShapes.apiKey.ruleOf('name'), { required: true })
  name: string;
}

/** Body of `POST /resend/api-keys`. */
export class ResendCreateApiKeyDto extends ResendChangeApiKeyDto {
  @FieldRule(accountShapes.apiKey.ruleOf('permission'))
  permission?: Permission | null;

  @FieldRule(domainIdRule, { nullable: true })
  domain_id?: string | null;
}
