import type { ReturnedMail } from './inbound-report.js';
import { fieldOf, readHead, type ReportField } from './report-fields.js';
import type { ReportTree } from './report-parts.js';

const RETURNED_TYPES = /^(?:message\/(?:rfc822|global)|(?:text|message)\/(?:rfc822|global)-headers?)$/;
const MESSAGE_ID = /<[^<>\s]{1,990}>/;
const ADDRESS = /<?([^<>\s"]{1,250}@[^<>\s"]{1,250})>?/;

/** What the head of a returned message says; nothing in it is proved. */
export function returnedOf(fields: readonly ReportField[]): ReturnedMail {
  return {
    messageId: MESSAGE_ID.exec(fieldOf(fields, 'message-id'))?.[0] ?? null,
    trace: fieldOf(fields, 'x-postloft-ref') || null,
    returnPath: ADDRESS.exec(fieldOf(fields, 'return-path'))?.[1] ?? null,
  };
}

/** The head of the first returned message among the parts; empty where there is none. */
export function returnedFields({ parts }: ReportTree): ReportField[] {
  const part = parts.find(({ type }) => RETURNED_TYPES.test(type));
  return part === undefined ? [] : readHead(part.body).fields;
}
