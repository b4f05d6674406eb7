import type { Rule } from '#libs/emails';

/** A field that is null is a field that is not there, as clients of Resend send it. */
export const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? [] : rule(value);
