import { describe, expect, it } from 'vitest';
import { decodeReportedAddress, firstAddress } from '../../../libs/mime/src/reports/find-address.js';
import * as phrases from '../../../libs/mime/src/reports/phrases.js';
import { readQuotedReply } from '../../../libs/mime/src/reports/quoted-reply.js';
import { cost } from '../../support/timing/cost.js';
import { HOSTILE_REPORT_TEXTS } from '../../support/samples/hostile-mail.js';

const MEBIBYTE = 1024 * 1024;
const PATTERNS = [
  ...Object.values(phrases).filter((value) => value instanceof RegExp),
  ...phrases.STATUS_OF_PHRASE.map(({ pattern }) => pattern),
];

describe('the patterns of reports', () => {
  it.each(HOSTILE_REPORT_TEXTS)('take eight times as long for eight times as much of %j', async (piece) => {
    const text = piece.repeat(MEBIBYTE / piece.length);
    const searched = (length: number) => () => {
      const part = text.slice(0, length);
      for (const pattern of PATTERNS) part.search(pattern);
      firstAddress(part);
      decodeReportedAddress(part);
      readQuotedReply(part);
    };
    const eighth = await cost(searched(MEBIBYTE / 8), 2);
    expect(await cost(searched(MEBIBYTE), 1)).toBeLessThan(2 * 8 * Math.max(eighth, 1));
  });
});
