import type { Rule } from '#libs/emails';
import { suppressionAddressesRule, suppressionAddressRule, suppressionIdsRule } from '#libs/suppressions';
import { ByRule } from '../by-rule.js';
import { PageQuery } from '../list.dto.js';
import { wordRule } from '../query-rules.js';
import { fromResendId } from './resend-id.js';
import { RESEND_ORIGINS, type ResendOrigin } from './resend-suppression.js';

/** Body of `POST /resend/suppressions`. */
export class ResendSuppressDto {
  @ByRule(suppressionAddressRule, { required: true })
  email: string;
}

export class ResendSuppressionsQuery extends PageQuery {
  @ByRule(wordRule(RESEND_ORIGINS))
  origin?: ResendOrigin;
}

/** Body of `POST /resend/suppressions/batch/add`. */
export class ResendSuppressAllDto {
  @ByRule(suppressionAddressesRule, { required: true })
  emails: string[];
}

const ours = (id: unknown): unknown => (typeof id === 'string' ? fromResendId('sup', id) : id);
const resendIdsRule: Rule = (value) => suppressionIdsRule(Array.isArray(value) ? value.map(ours) : value);

/** Body of `POST /resend/suppressions/batch/remove`: one of the two. */
export class ResendReleaseAllDto {
  @ByRule(suppressionAddressesRule, { requiredUnless: 'ids' })
  emails?: string[];

  @ByRule(resendIdsRule)
  ids?: string[];
}

/** Of `DELETE /resend/suppressions/:idOrEmail`. */
export class ResendReleaseQuery {
  @ByRule(wordRule(['true', 'false']))
  force?: 'true' | 'false';
}
