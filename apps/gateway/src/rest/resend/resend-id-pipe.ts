import type { PipeTransform } from '@nestjs/common';
import { isId, Refusal, type IdPrefix } from '#libs/contracts';
import { fromResendId } from './resend-id.js';

/** An id in the path, a UUID or one of ours, becomes ours; what is neither names nothing (404). */
export class ResendIdPipe implements PipeTransform<string, string> {
  constructor(private readonly kind: IdPrefix) {}

  transform(text: string): string {
    const id = fromResendId(this.kind, text);
    if (!isId(this.kind, id)) throw new Refusal('not_found');
    return id;
  }
}
