import type { IdPrefix } from '#libs/contracts';

/**
 * Ids as clients of Resend know them: a bare UUID. Ours are a prefix and the same 32 hexadecimal digits, so that both
 * forms name the same thing and either is accepted.
 */
const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** `em_0197…` → `01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa`. */
export function toResendId(id: string): string {
  return id.slice(id.indexOf('_') + 1).replace(UUID, '$1-$2-$3-$4-$5');
}

/** The id of ours that is meant; a text that is no UUID comes back as it is, and names nothing. */
export function fromResendId(prefix: IdPrefix, text: string): string {
  const digits = UUID.exec(text)?.slice(1).join('');
  return digits === undefined ? text : `${prefix}_${digits.toLowerCase()}`;
}
