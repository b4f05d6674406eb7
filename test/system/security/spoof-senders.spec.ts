import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOn, openAccount, type ServiceAccount } from '../../support/services/service-client.js';
import { SmtpTalk } from '../../support/smtp/smtp-talk.mjs';
import { until } from '../../support/timing/until.js';

const DOMAIN = 'sandbox.spoofing.test';
const OWN = `orders@${DOMAIN}`;
/** At a domain of another account of the same service. */
const FOREIGN = 'boss@other-spoofing.example';

/** Header blocks that at least some mail programs show with another sender. */
const BAD: Record<string, string> = {
  'the domain of another account': `From: ${FOREIGN}`,
  'a domain that nobody has': 'From: boss@elsewhere.example',
  'a subdomain of ours': `From: orders@mail.${DOMAIN}`,
  'the domain above ours': 'From: orders@spoofing.test',
  'two fields, ours first': `From: ${OWN}\r\nFrom: ${FOREIGN}`,
  'two fields, ours last': `FROM: ${FOREIGN}\r\nfrom: ${OWN}`,
  'the same field twice': `From: ${OWN}\r\nFrom: ${OWN}`,
  'two mailboxes, ours first': `From: ${OWN}, ${FOREIGN}`,
  'two mailboxes, ours last': `From: ${FOREIGN}, ${OWN}`,
  'a comma behind ours': `From: ${OWN},`,
  'a group': `From: Shop: ${OWN};`,
  'a group of two': `From: Shop: ${OWN}, ${FOREIGN};`,
  'a comment that is ours': `From: (${OWN}) ${FOREIGN}`,
  'ours, a comment, and another': `From: ${OWN} (x) <${FOREIGN}>`,
  'another, with ours in a comment': `From: ${FOREIGN} (${OWN})`,
  'another, with a comment': `From: ${FOREIGN} (x)`,
  'ours, with another in a comment': `From: ${OWN} (${FOREIGN})`,
  'ours, with another in an encoded comment': `From: ${OWN} (=?utf-8?q?boss=40other-spoofing.example?=)`,
  'a comment within the address': `From: orders(x)@${DOMAIN}`,
  'ours as the name of another': `From: ${OWN} <${FOREIGN}>`,
  'ours as the quoted name of another': `From: "${OWN}" <${FOREIGN}>`,
  'ours as the encoded name of another': `From: =?utf-8?q?orders=40${DOMAIN}?= <${FOREIGN}>`,
  'two in brackets': `From: <${OWN}> <${FOREIGN}>`,
  'an encoded word in the address': `From: =?utf-8?q?boss=40other-spoofing.example?=@${DOMAIN}`,
  'a folded address of another': 'From: boss\r\n @other-spoofing.example',
  'a folded field of another': `From:\r\n ${FOREIGN}`,
  'a NUL behind ours': `From: ${OWN}\0@other-spoofing.example`,
  'a bare return behind ours': `From: ${OWN}\rFrom: ${FOREIGN}`,
  'a letter that only looks like ours': 'From: orders@ѕandbox.spoofing.test',
  'the same as an A-label': 'From: orders@xn--andbox-7nf.spoofing.test',
  'ours before a percent sign': `From: orders%${DOMAIN}@other-spoofing.example`,
  'ours in quotes': `From: "${OWN}"@other-spoofing.example`,
  'an address literal': 'From: orders@[127.0.0.1]',
  'a source route': `From: <@other-spoofing.example:${OWN}>`,
  'the null sender': 'From: <>',
  'an empty field': 'From:',
  'no field': 'Subject: nobody',
  'a blank before the colon': `From : ${FOREIGN}`,
  'a direction override': `From: orders@${DOMAIN}\u202e`,
  'a foreign Sender': `From: ${OWN}\r\nSender: ${FOREIGN}`,
  'a foreign Resent-From': `From: ${OWN}\r\nResent-From: ${FOREIGN}`,
  'a foreign Resent-Sender': `From: ${OWN}\r\nResent-Sender: ${FOREIGN}`,
  'a Sender of two': `From: ${OWN}\r\nSender: ${OWN}, ${FOREIGN}`,
};
const GOOD: Record<string, string> = {
  'an address': `From: ${OWN}`,
  'a name': `From: Shop <${OWN}>`,
  'a quoted name with a comma': `From: "Shop, Ltd." <${OWN}>`,
  'an encoded name': `From: =?utf-8?q?Gr=C3=BC=C3=9Fe?= <${OWN}>`,
  'a name in UTF-8': `From: Grüße <${OWN}>`,
  capitals: `FROM: Orders@SANDBOX.Spoofing.TEST`,
  'a name behind the address': `From: ${OWN} (Cron Daemon)`,
  'a folded field': `From: Shop\r\n\t<${OWN}>`,
  'a Sender at the same domain': `From: ${OWN}\r\nSender: desk@${DOMAIN}`,
};

describe('a sender', () => {
  let program: ServiceAccount;
  let other: ServiceAccount;
  let talk: SmtpTalk;

  beforeAll(async () => {
    program = await openAccount('smtp', { domain: DOMAIN });
    other = await accountOn(program, { domain: 'other-spoofing.example' });
    talk = await SmtpTalk.loggedIn(program.ports.smtps, OWN, program.key);
  });
  afterAll(() => talk?.close());

  const submit = async (header: string, recipients: string[]): Promise<string> => {
    expect(await talk.say(`MAIL FROM:<${OWN}>`)).toMatch(/^250 /);
    for (const to of recipients) expect(await talk.say(`RCPT TO:<${to}>`)).toMatch(/^250 /);
    expect(await talk.say('DATA')).toMatch(/^354 /);
    return talk.say(`${header}\r\nX-Case: 1\r\n\r\ntext\r\n.`);
  };
  const captured = async (to: string): Promise<{ id: string }[]> =>
    ((await (await program.call('GET', `/captured?to=${encodeURIComponent(to)}`)).json()) as { data: { id: string }[] })
      .data;

  it.each(Object.entries(BAD))('is refused: %s', async (name, header) => {
    const answer = await submit(header, ['spoofed@example.com']);
    expect(answer, name).toMatch(/^(550 5\.7\.1|554 5\.6\.0) /);
    // Octets that are not text are rejected before fields are parsed.
    if (!/[\r\0](?!\n)/.test(header)) expect(answer, name).toMatch(/from|sender|header/i);
  });
  it('whose mail was rejected reaches no recipient', async () => {
    expect(await captured('spoofed@example.com')).toEqual([]);
  });
  it.each(Object.entries(GOOD))('is taken: %s', async (_, header) => {
    expect(await submit(header, ['honest@example.com'])).toMatch(/^250 2\.0\.0 queued as em_/);
  });

  it('whose address has an invalid octet is rejected as well', async () => {
    await talk.say(`MAIL FROM:<${OWN}>`);
    await talk.say('RCPT TO:<spoofed@example.com>');
    await talk.say('DATA');
    talk.write(Buffer.from(`From: orders\xff@${DOMAIN}\r\n\r\ntext\r\n.\r\n`, 'latin1'));
    expect((await talk.reply()).join()).toMatch(/^55[04] 5\.\d\.\d .*From/);
  });

  describe('with the key of another account', () => {
    const login = async (client: SmtpTalk, user: string, key: string): Promise<string> =>
      client.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${key}`).toString('base64')}`);
    const opened = async (): Promise<SmtpTalk> => {
      const client = SmtpTalk.open(program.ports.smtps);
      await client.secure();
      await client.reply();
      await client.say('EHLO client.example');
      return client;
    };

    it('gets the same reply as an unknown one', async () => {
      const client = await opened();
      const pairs = [
        [FOREIGN, program.key],
        [OWN, other.key],
        ['boss@nowhere.example', program.key],
        [`boss@mail.${DOMAIN}`, program.key],
        ['nobody', program.key],
        [DOMAIN, program.key],
        [OWN, `${other.key.slice(0, -1)}x`],
        [OWN, 'secret'],
        [OWN, ''],
      ];
      const answers = new Set<string>();
      for (const [user, key] of pairs) answers.add(await login(client, user, key));
      expect([...answers]).toEqual(['535 5.7.8 Authentication credentials invalid']);
      expect(await login(client, FOREIGN, other.key)).toMatch(/^235 2\.7\.0 /);
      client.close();
    });
  });

  it.each([
    ['Bcc: hidden@example.org', 'bcc'],
    ['BCC: Hidden <hidden@example.org>', 'bcc'],
    ['bcc:hidden@example.org', 'bcc'],
    ['bCc:\r\n hidden@example.org', 'bcc'],
    ['Bcc: one@example.org,\r\n\thidden@example.org,\r\n two@example.org', 'bcc'],
    ['Bcc:', 'bcc'],
    ['Bcc: a@example.org\r\nX-Between: 1\r\nBCC: hidden@example.org', 'bcc'],
    ['Resent-Bcc: hidden@example.org', 'resent-bcc'],
    ['RETURN-PATH:\r\n <hidden@example.org>', 'return-path'],
    ['X-Service-Tag-hidden: one', 'x-service'],
    ['x-SERVICE-tag-hidden:\r\n one', 'x-service'],
    ['X-Service-Idempotency-Key: {hidden}', 'x-service'],
    ['resend-idempotency-KEY:\r\n\t{hidden}', 'resend-idempotency'],
    ['X-Service-Scheduled-At: 2020-01-01T00:00:00Z', 'x-service'],
    ['X-Service-Scheduled-At: 2099-01-01T00:00:00Z', null],
    ['X-Service-Unheard-Of: hidden', 'x-service'],
  ])('does not pass %j on to other recipients', async (field, name) => {
    const unique = Math.random().toString(36).slice(2);
    const [shown, hidden] = [`shown-${unique}@example.com`, `hidden-${unique}@example.org`];
    const written = field.replace('hidden@example.org', hidden).replace('{hidden}', `hidden-${unique}`);
    const answer = await submit(`From: ${OWN}\r\nTo: ${shown}\r\n${written}`, [shown, hidden]);
    if (name === null) return expect(answer).toMatch(/^554 5\.6\.0 /);
    expect(answer).toMatch(/^250 /);
    for (const reader of [shown, hidden]) {
      const [mail] = await until(async () => {
        const found = await captured(reader);
        return found.length > 0 ? found : null;
      });
      const raw = await (await program.call('GET', `/captured/${mail.id}/raw`)).text();
      const [head] = raw.split('\r\n\r\n');
      expect(head).not.toMatch(/hidden|^(?:resent-)?bcc|^x-service|idempotency/im);
      expect(head).toContain('X-Case: 1');
    }
  });
});
