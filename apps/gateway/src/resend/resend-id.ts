import type { PipeTransform } from '@nestjs/common';
import { isId, Refusal, type IdPrefix } from '#libs/contracts';

/**
 * Ids as clients of Resend write them: a bare UUID. A native id is a prefix and the same 32 hexadecimal digits, so both
 * forms name the same resource and both are accepted.
 */
const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i;

/** `em_0197…` → `01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa`. */
export function toResendId(id: string): string {
  return id.slice(id.indexOf('_') + 1).replace(UUID, '$1-$2-$3-$4-$5');
}

/** The native id for a UUID. Other text is returned unchanged. */
export function fromResendId(prefix: IdPrefix, text: string): string {
  const digits = UUID.exec(text)?.slice(1).join('');
  return digits === undefined ? text : `${prefix}_${digits.toLowerCase()}`;
}

/** The response to most changes: a reference to the resource. */
export interface ResendReference<Kind extends string> {
  object: Kind;
  id: string;
}

export const toResendReference = <const Kind extends string>(object: Kind, id: string): ResendReference<Kind> => ({
  object,
  id: toResendId(id),
});

/** Converts an id in the path to the native form. Malformed ids are answered 404. */
export class ResendIdPipe implements PipeTransform<string, string> {
  constructor(private readonly prefix: IdPrefix) {}

  transform(text: string): string {
    const id = fromResendId(this.prefix, text);
    if (!isId(this.prefix, id)) throw new Refusal('not_found');
    return id;
  }
}
