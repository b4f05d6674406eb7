import { checkHost } from './check-host.js';
import { isSpf, readSpf } from './spf-record.js';
import { judgeSpf } from './spf-rule.js';

/** SPF (RFC 7208): the check of a sender, the record, and the verdict about the record of a customer. */
export const spf = { checkHost, isRecord: isSpf, read: readSpf, judge: judgeSpf };
