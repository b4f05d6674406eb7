import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { loadConfig } from '#libs/kernel';
import type { DeliveryJob } from './ledger/delivery-job.js';
import { OutgoingFields } from './outgoing-fields.js';
import { ReturnPath } from './return-path.js';
import { UnsubscribeLink } from './unsubscribe/unsubscribe-link.js';

const config = loadConfig('standalone', {
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  PUBLIC_URL: 'https://mail.example',
});
const returnPath = new ReturnPath(config);
const link = new UnsubscribeLink(config);
const outgoing = new OutgoingFields(returnPath, link, config);

function fields(over: Partial<DeliveryJob['mail']> = {}, message = 'From: a@b.example\r\n\r\ntext') {
  const mail = {
    id: newId('em'),
    domainId: 'dom_0000000000000000000012345678abcd',
    accountId: 'acc_00000000000000000000feedbeefcafe',
    tags: {},
    unsubscribe: null,
    ...over,
  } as DeliveryJob['mail'];
  const recipients = [{ ordinal: 3 }] as DeliveryJob['recipients'];
  const text = outgoing.of({ mail, recipients }, Buffer.from(message));
  const lines = text.replace(/\r\n /g, ' ').split('\r\n').filter(Boolean);
  return { mail, text, byName: Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s))) };
}

describe('OutgoingFields', () => {
  it('names the transaction and the stream', () => {
    const { mail, text, byName } = fields();
    expect(Object.keys(byName)).toEqual(['Feedback-ID', 'X-Postloft-Ref']);
    expect(returnPath.readTrace(byName['X-Postloft-Ref'])).toEqual({ emailId: mail.id, ordinal: 3 });
    expect(byName['Feedback-ID']).toBe('12345678abcd:feedbeefcafe:postloft');
    expect(text.endsWith('\r\n')).toBe(true);
  });

  it.each([
    [{ campaign: 'spring 2026', category: 'news' }, 'spring_2026'],
    [{ category: 'Grüße:a' }, 'Gr__e_a'],
    [{ order: '4711' }, undefined],
    [{ campaign: '' }, undefined],
  ])('takes the kind of mail from the tags %j', (tags, first) => {
    const parts = fields({ tags }).byName['Feedback-ID'].split(':');
    expect(parts.slice(0, -3)).toEqual(first === undefined ? [] : [first]);
    expect(parts.length).toBeLessThanOrEqual(4);
    expect(parts.at(-1)).toBe('postloft');
  });

  it('tells of a relayed mail where it came through, and not from whom; our own notices came from nowhere', () => {
    const mail = {
      id: 'em_1',
      tags: {},
      createdAt: new Date('2026-01-31T09:30:00Z'),
    } as unknown as DeliveryJob['mail'];
    expect(outgoing.received({ mail }).replace(/\r\n /g, ' ')).toBe(
      'Received: by smtp.postloft.test with ESMTPSA id em_1; Sat, 31 Jan 2026 09:30:00 +0000\r\n',
    );
    expect(outgoing.received({ mail: { ...mail, tags: { notice: 'tls_report' } } })).toBe('');
  });

  it('leaves a Feedback-ID of the caller alone', () => {
    const { byName } = fields({}, 'From: a@b.example\r\nfeedback-id: mine:1\r\n\r\ntext');
    expect(Object.keys(byName)).toEqual(['X-Postloft-Ref']);
  });

  it('adds the pair of RFC 8058 with a link for the one recipient', () => {
    const { mail, text, byName } = fields({ unsubscribe: {} });
    expect(byName['List-Unsubscribe']).toBe(`<${link.url(mail.id, 3)}>`);
    expect(byName['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    expect(text.split('\r\n').every((line) => line.length <= 998)).toBe(true);
    const both = fields({ unsubscribe: { mailto: 'stop@b.example?subject=stop' } });
    expect(both.byName['List-Unsubscribe']).toBe(
      `<${link.url(both.mail.id, 3)}>, <mailto:stop@b.example?subject=stop>`,
    );
  });
});
