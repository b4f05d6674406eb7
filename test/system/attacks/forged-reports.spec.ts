import { createPrivateKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dkim, type DkimKey } from '#libs/mime';
import { arf, dsn } from '../../support/samples/inbound-reports.js';
import { ReportsFixture, type Delivered } from '../../support/inbound/reports-fixture.js';
import { METRICS_TOKEN } from '../../support/services/profiles.js';
import { until } from '../../support/timing/until.js';

const SERVICE = 'postloft.test';
const RECIPIENTS = 'forged-reports.test';
const FORGERS = 'forgers.test';

/** A recipient with one copy of a message to several recipients sends reports about another one. */
describe('a report about another recipient', () => {
  let fixture: ReportsFixture;
  let key: DkimKey;

  beforeAll(async () => {
    fixture = await ReportsFixture.open({ recipients: RECIPIENTS, reporters: FORGERS, senders: [] });
    const { rsa } = await dkim.generateKeys();
    key = {
      domain: `mail.${RECIPIENTS}`,
      selector: 'reports',
      algorithm: 'rsa-sha256',
      privateKey: createPrivateKey(rsa.privateKeyPem),
    };
    fixture.dns.set(`reports._domainkey.mail.${RECIPIENTS}`, {
      TXT: [dkim.recordValue('rsa-sha256', rsa.publicKeyBase64)],
    });
  });
  afterAll(() => fixture?.stop());

  /** One email to an attacker and a victim; the attacker knows all of `sent`. */
  const sendToBoth = async (name: string): Promise<{ sent: Delivered; victim: string }> => {
    const [attacker, victim] = ['eve', 'victim'].map((local) => `${local}-${name}@${RECIPIENTS}`);
    return { sent: await fixture.delivered(attacker, { to: [attacker, victim] }), victim };
  };
  const bounce = (sent: Delivered, victim: string) => dsn(sent, [{ final: victim }]);
  const complaint = (sent: Delivered, victim: string) =>
    arf({ rcpt: victim, head: [`X-Postloft-Ref: ${sent.trace}`], from: `fbl@${RECIPIENTS}` });
  const signed = async (report: string): Promise<Buffer> => {
    const message = Buffer.from(report.replace(/^From: .*\r\n/, `From: <reports@${RECIPIENTS}>\r\n`));
    return Buffer.concat([await dkim.sign({ front: Buffer.alloc(0), rest: message }, [key], new Date()), message]);
  };
  const statusOf = async ({ id }: Delivered, address: string) =>
    (await fixture.read(id)).recipients.find((recipient) => recipient.address === address)?.status;
  const unproved = async ({ id }: Delivered) =>
    (await fixture.kept()).filter(({ email_id, verdict }) => email_id === id && verdict === 'unproved');
  const counted = async (kind: string): Promise<number> => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${fixture.account.url}/metrics`, { headers })).text();
    return Number(
      new RegExp(`^postloft_inbound_total\\{kind="${kind}",verdict="unproved"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    );
  };

  it.each([
    ['bounce', 'delivery', bounce, ({ returnPath }: Delivered) => returnPath],
    ['complaint', 'feedback', complaint, () => `fbl@${SERVICE}`],
    ['complaint to a return path', 'feedback', complaint, ({ returnPath }: Delivered) => returnPath],
  ])('without proof changes nothing, and is shown to the operator and counted: %s', async (name, kind, report, to) => {
    const { sent, victim } = await sendToBoth(name.replaceAll(' ', '-'));
    const before = await counted(kind);
    for (const from of ['', `mailer-daemon@${FORGERS}`, `mailer-daemon@${RECIPIENTS}`])
      expect(await fixture.report(report(sent, victim), to(sent), from)).toMatch(/^250 /);
    expect(await statusOf(sent, victim)).toBe('delivered');
    expect(await fixture.isSuppressed(victim)).toBe(false);
    const shown = await unproved(sent);
    expect(shown.map(({ mail_from }) => mail_from).toSorted()).toEqual(
      ['', `mailer-daemon@${FORGERS}`, `mailer-daemon@${RECIPIENTS}`].toSorted(),
    );
    for (const one of shown) {
      expect(one).toMatchObject({ reported: [victim], helo: `mx.${FORGERS}` });
      expect(one.note).toContain(`not proved to come from the mail system of ${RECIPIENTS}: SPF: `);
    }
    expect(await counted(kind)).toBeGreaterThanOrEqual(before + 3);
  });

  it('without proof unsubscribes nobody', async () => {
    const { sent, victim } = await sendToBoth('opt-out');
    const report = arf({ type: 'opt-out', rcpt: victim, head: [`X-Postloft-Ref: ${sent.trace}`] });
    expect(await fixture.report(report, `fbl@${SERVICE}`, `fbl@${FORGERS}`)).toMatch(/^250 /);
    expect((await fixture.events(sent.id)).map(({ type }) => type)).not.toContain('email.unsubscribed');
    expect(await unproved(sent)).toHaveLength(1);
  });

  it.each([
    ['bounce', bounce, 'bounced'],
    ['complaint', complaint, 'complained'],
  ])('signed by their domain suppresses: %s', async (name, report, status) => {
    const { sent, victim } = await sendToBoth(`signed-${name}`);
    const message = await signed(report(sent, victim));
    const altered = Buffer.from(
      message.toString('latin1').replace('Content-Type: text/rfc822-headers', '$&; x=y'),
      'latin1',
    );
    expect(await fixture.report(altered, sent.returnPath)).toMatch(/^250 /);
    expect(await statusOf(sent, victim)).toBe('delivered');
    expect((await unproved(sent)).map(({ note }) => note)).toEqual([expect.stringContaining('DKIM: neutral')]);
    expect(await fixture.report(message, sent.returnPath)).toMatch(/^250 /);
    expect(await statusOf(sent, victim)).toBe(status);
    expect(await fixture.isSuppressed(victim)).toBe(true);
  });

  it('is not possible where each recipient has an envelope, and the own token suppresses', async () => {
    const { domainId } = fixture.account;
    const changed = await fixture.account.call('PATCH', `/domains/${domainId}`, { envelope: 'per_recipient' });
    expect(await changed.json()).toMatchObject({ envelope: 'per_recipient' });
    try {
      const { sent, victim } = await sendToBoth('separate');
      const own = await until(async () => fixture.mx.mails.find(({ recipients }) => recipients.includes(victim)), {
        what: 'the copy of the victim',
      });
      expect(sent.mail.recipients).toEqual([sent.recipient]);
      expect(own.recipients).toEqual([victim]);
      expect(own.mailFrom).not.toBe(sent.returnPath);
      expect(await fixture.report(bounce(sent, victim), sent.returnPath)).toMatch(/^250 /);
      expect(await statusOf(sent, victim)).toBe('delivered');
      expect(await fixture.isSuppressed(victim)).toBe(false);
      expect(await fixture.report(dsn(null, [{ final: victim }]), own.mailFrom)).toMatch(/^250 /);
      expect(await statusOf(sent, victim)).toBe('bounced');
      expect(await fixture.isSuppressed(victim)).toBe(true);
    } finally {
      await fixture.account.call('PATCH', `/domains/${domainId}`, { envelope: 'shared' });
    }
  });
});
