import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import type { DeliveryJob } from './delivery-job.js';
import { OutgoingHeaders } from './outgoing-headers.js';
import { ReturnPath } from './return-path.js';
import { UnsubscribeLink } from './unsubscribe-link.js';

const config = loadConfig('standalone', {
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  PUBLIC_URL: 'https://mail.example',
});
const returnPath = new ReturnPath(config);
const link = new UnsubscribeLink(config);
const outgoing = new OutgoingHeaders(returnPath, link, config);

function fields(over: Partial<DeliveryJob['email']> = {}) {
  const email = {
    id: newId('em'),
    domainId: 'dom_0000000000000000000012345678abcd',
    accountId: 'acc_00000000000000000000feedbeefcafe',
    tags: {},
    unsubscribe: null,
    ...over,
  } as DeliveryJob['email'];
  const recipients = [{ ordinal: 3 }] as DeliveryJob['recipients'];
  const text = outgoing.build({ email, recipients });
  const lines = text.replace(/\r\n /g, ' ').split('\r\n').filter(Boolean);
  return { email, text, byName: Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s))) };
}

describe('OutgoingHeaders', () => {
  it('identify the transaction and the kind of email', () => {
    const { email, text, byName } = fields();
    expect(Object.keys(byName)).toEqual(['Feedback-ID', 'X-Postloft-Ref']);
    expect(returnPath.readTrace(byName['X-Postloft-Ref'])).toEqual({ emailId: email.id, ordinal: 3, alone: true });
    expect(byName['Feedback-ID']).toBe('12345678abcd:feedbeefcafe:postloft');
    expect(text.endsWith('\r\n')).toBe(true);
  });

  it.each([
    [{ campaign: 'spring 2026', category: 'news' }, 'spring_2026'],
    [{ category: 'Grüße:a' }, 'Gr__e_a'],
    [{ order: '4711' }, undefined],
    [{ campaign: '' }, undefined],
  ])('take the kind of email from the tags %j', (tags, first) => {
    const parts = fields({ tags }).byName['Feedback-ID'].split(':');
    expect(parts.slice(0, -3)).toEqual(first === undefined ? [] : [first]);
    expect(parts.length).toBeLessThanOrEqual(4);
    expect(parts.at(-1)).toBe('postloft');
  });

  it('add a Received field without the client to relayed messages, and none to messages of the service', () => {
    const email = {
      id: 'em_1',
      tags: {},
      createdAt: new Date('2026-01-31T09:30:00Z'),
    } as unknown as DeliveryJob['email'];
    expect(outgoing.received({ email }).replace(/\r\n /g, ' ')).toBe(
      'Received: by smtp.postloft.test with ESMTPSA id em_1; Sat, 31 Jan 2026 09:30:00 +0000\r\n',
    );
    expect(outgoing.received({ email: { ...email, tags: { notice: 'tls_report' } } })).toBe('');
  });

  it('add the header pair of RFC 8058 with a link for the only recipient', () => {
    const { email, text, byName } = fields({ unsubscribe: {} });
    expect(byName['List-Unsubscribe']).toBe(`<${link.url(email.id, 3)}>`);
    expect(byName['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    expect(text.split('\r\n').every((line) => line.length <= 998)).toBe(true);
    const both = fields({ unsubscribe: { mailto: 'stop@b.example?subject=stop' } });
    expect(both.byName['List-Unsubscribe']).toBe(
      `<${link.url(both.email.id, 3)}>, <mailto:stop@b.example?subject=stop>`,
    );
  });
});
