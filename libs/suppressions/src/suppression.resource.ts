import { fields, formats, LIMITS, resource, type RowOf, type Shape, type ViewOf } from '#libs/contracts';
import {
  suppressionAddressRule,
  suppressionDomainRule,
  suppressionExpiryRule,
  suppressionReasonRule,
} from './entries/field-rules.js';

const SERVER_REPLY = '5.1.1 No such user';

/** The observation that led to an entry; fields that do not apply are null. */
const suppressionEvidence = {
  name: 'SuppressionEvidence',
  about: 'The bounce or complaint that caused a suppression.',
  fields: {
    email_id: fields.text('The email concerned', formats.exampleId('em')).orNull(),
    recipient: fields.text('The recipient address, as given in that email', 'User@example.net'),
    smtp_code: fields.integer('The reply code of the server', 550).orNull(),
    enhanced_code: fields.text('The enhanced status code of the reply (RFC 3463)', '5.1.1').orNull(),
    text: fields.text('The text of the reply', SERVER_REPLY).orNull(),
    mx: fields.text('The name of the server', 'mx1.example.net').orNull(),
    feedback_type: fields.text('The type of a complaint, RFC 5965 section 7.3 (`abuse`, `fraud`, …)', null).orNull(),
    at: fields.time('When it was recorded'),
  },
} as const satisfies Shape;
export interface SuppressionEvidence extends ViewOf<typeof suppressionEvidence> {}

export const suppression = resource({
  name: 'Suppression',
  about: 'An address that receives no emails.',
  table: 'suppressions',
  fields: {
    id: fields.id('sup').stored(),
    object: fields.kind('suppression'),
    /** In the form of `normaliseAddress` of mime: trimmed, lower case, the domain in A-labels. */
    email: fields
      .text('The normalised address', 'user@example.net')
      .storedAs('address')
      .given(suppressionAddressRule, {
        required: true,
        schema: {
          format: formats.ADDRESS_FORMAT,
          description:
            'One address, without a display name. Compared without surrounding spaces, in lower case, internationalised domain ' +
            'names as A-labels (`xn--…`); `user+label@…` and `user@…` are different addresses',
        },
      }),
    origin: fields
      .choice(
        ['bounce', 'complaint', 'manual', 'unsubscribe'],
        'Why the address is suppressed. `manual`: added by request',
        'bounce',
      )
      .stored(),
    reason: fields
      .text('A human-readable note', SERVER_REPLY)
      .orNull()
      .stored()
      .given(suppressionReasonRule, {
        schema: {
          maxLength: LIMITS.suppressionReasonLength,
          pattern: formats.LINE_PATTERN,
          description: `A note in one line, up to ${LIMITS.suppressionReasonLength} characters`,
          example: 'Asked us on the telephone',
        },
      }),
    source_id: fields.text('The email that caused the entry', formats.exampleId('em')).orNull().stored(),
    scope: fields.choice(
      ['account', 'domain'],
      'Affects all emails of the account, or only those from the domain `domain_id`',
    ),
    domain_id: fields
      .text('The domain, if `scope` is `domain`', null)
      .orNull()
      .stored()
      .given(suppressionDomainRule, {
        schema: {
          description:
            'A domain of this account: only emails from this domain are affected. Null: all emails of the account',
          example: formats.exampleId('dom'),
        },
      }),
    created_at: fields.time().stored(),
    expires_at: fields
      .time('When the entry expires; null: never')
      .orNull()
      .stored()
      .given(suppressionExpiryRule, {
        schema: {
          description: 'When the entry expires: ISO 8601 with an offset, in the future. Null: never',
          example: '2030-01-31T09:30:00Z',
        },
      }),
    evidence: fields
      .object(suppressionEvidence, 'The bounce or complaint that caused the entry; null for entries added by request')
      .orNull()
      .stored(),
  },
  internal: { account_id: fields.column<string>() },
  lastInRequests: ['expires_at', 'domain_id'],
});

/** An entry as the API returns it. */
export interface SuppressionView extends ViewOf<typeof suppression> {}
export type SuppressionOrigin = SuppressionView['origin'];
/** A row of `suppressions`. */
export interface SuppressionRow extends RowOf<typeof suppression> {}

export const toSuppressionView = (row: SuppressionRow): SuppressionView =>
  suppression.toView(row, { object: 'suppression', scope: row.domain_id === null ? 'account' : 'domain' });

export const suppressionShapes = { suppression, suppressionEvidence };
