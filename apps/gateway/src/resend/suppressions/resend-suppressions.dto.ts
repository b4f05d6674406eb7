import type { Rule } from '#libs/contracts';
import { bulkSuppressions, suppressionShapes } from '#libs/suppressions';
import { FieldRule } from '../../rest/validation/field-rule.decorator.js';
import { PageQuery } from '../../rest/list.dto.js';
import { oneOfRule } from '../../rest/validation/query-rules.js';
import { fromResendId } from '../resend-id.js';
import { RESEND_ORIGINS, type ResendOrigin } from './resend-suppression.js';

/** Body of `POST /resend/suppressions`. */
export class ResendSuppressDto {
  @FieldRule(suppressionShapes.suppression.ruleOf('email'), { required: true })
  email: string;
}

export class ResendSuppressionsQuery extends PageQuery {
  @FieldRule(oneOfRule(RESEND_ORIGINS))
  origin?: ResendOrigin;
}

/** Body of `POST /resend/suppressions/batch/add`. */
export class ResendSuppressAllDto {
  @FieldRule(bulkSuppressions.addresses, { required: true })
  emails: string[];
}

const toNativeId = (id: unknown): unknown => (typeof id === 'string' ? fromResendId('sup', id) : id);
const resendIdsRule: Rule = (value) => bulkSuppressions.ids(Array.isArray(value) ? value.map(toNativeId) : value);

/** Body of `POST /resend/suppressions/batch/remove`: one of the two fields. */
export class ResendReleaseAllDto {
  @FieldRule(bulkSuppressions.addresses, { requiredUnless: 'ids' })
  emails?: string[];

  @FieldRule(resendIdsRule)
  ids?: string[];
}

/** Parameters of `DELETE /resend/suppressions/:idOrEmail`. */
export class ResendReleaseQuery {
  @FieldRule(oneOfRule(['true', 'false']))
  force?: 'true' | 'false';
}
