import type { IdPrefix } from '../ids.js';

/** Formats that the descriptions of fields share. */

export const EXAMPLE_TIME = '2026-01-31T09:30:00.000Z';
/** The form of an id (decision 013); without a prefix, that of any id. */
export const idPattern = (prefix = '[a-z]{2,4}'): string => `^${prefix}_[0-9a-f]{32}$`;
export const exampleId = (prefix: IdPrefix): string => `${prefix}_01978c0e5f7b7c3a9d21f0b64c1e88aa`;
/** A domain name in lower case with A-labels, as responses have it. */
export const DOMAIN_PATTERN = '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';
/** Controls and line separators, which no text in one line has. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** Text in one line, which may be empty. */
export const LINE_PATTERN = `^[^${CONTROLS}]*$`;
/** Text in one line with at least one character that is no white space. */
export const NOT_BLANK_PATTERN = `^[^${CONTROLS}]*[^${CONTROLS}\\s\\ufeff][^${CONTROLS}]*$`;
/** Text of several lines. */
export const TEXT_PATTERN = '^[^\\u0000]*$';
export const HTTPS_PATTERN = '^https://[^\\s#@\\\\]+$';
export const TAG_KEY_PATTERN = '^[A-Za-z0-9_.-]{1,50}$';
/** One address, without a display name; its domain may be internationalised. */
export const ADDRESS_FORMAT = 'idn-email';
/** `address` or `Name <address>`, RFC 5322 section 3.4. */
export const MAILBOX_FORMAT = 'mailbox';
