import { beforeAll, describe, expect, it } from 'vitest';
import { openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { relayClient } from '../../support/services/relay-client.js';
import { capturedMessage } from '../../support/services/captured.js';

const OWN = ['postloft.test', 'SMTP.postloft.test 1', '"mx.postloft.test"', '(a comment) postloft.test'];
const FOREIGN = ['mx.example.org', 'notpostloft.test', 'postloft.test.example.org'];
const RESULT = 'dkim=pass header.d=example.org';

/** Header fields of a submitted mail that only this service or other servers set. */
describe('forged header fields over SMTP', () => {
  let program: ServiceAccount;
  let lines: string[];

  beforeAll(async () => {
    program = await openAccount('smtp');
    const transport = relayClient(program);
    const fields = [
      `From: ${program.from}`,
      'Delivered-To: victim@example.org',
      'Feedback-ID: forged:by:customer',
      'X-Postloft-Ref: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      ...OWN.map((id) => `Authentication-Results: ${id};\r\n ${RESULT}`),
      ...FOREIGN.map((id) => `Authentication-Results: ${id};\r\n ${RESULT}`),
      'ARC-Seal: i=1; a=rsa-sha256; cv=none; d=example.org; s=a; b=AAAA',
      'ARC-Authentication-Results: i=1; postloft.test; spf=pass',
      'To: forged-fields@example.com',
      'Subject: Forged fields',
    ];
    const { response } = await transport.sendMail({
      envelope: { from: program.from, to: ['forged-fields@example.com'] },
      raw: `${fields.join('\r\n')}\r\n\r\nHello\r\n`,
    });
    const id = /queued as (em_\w+)/.exec(response)?.[1];
    const message = (await capturedMessage(program, id ?? '')).toString();
    lines = message
      .split('\r\n\r\n', 1)[0]
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n');
  });

  const valuesOf = (name: string): string[] =>
    lines
      .filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))
      .map((line) => line.slice(name.length + 1).trim());

  it('are replaced by those of the service', () => {
    expect(valuesOf('Feedback-ID')).toEqual([expect.stringMatching(/:postloft$/)]);
    expect(valuesOf('X-Postloft-Ref')).toEqual([expect.not.stringMatching(/^A+$/)]);
    expect(valuesOf('Delivered-To')).toEqual([]);
  });

  it('do not tell of an authentication by this service', () => {
    expect(valuesOf('Authentication-Results')).toEqual(FOREIGN.map((id) => `${id}; ${RESULT}`));
  });

  it('are kept where other servers check them', () => {
    expect(valuesOf('ARC-Seal')).toHaveLength(1);
    expect(valuesOf('ARC-Authentication-Results')).toEqual(['i=1; postloft.test; spf=pass']);
  });
});
