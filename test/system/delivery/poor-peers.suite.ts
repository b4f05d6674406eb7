import { describe, expect, it, onTestFinished } from 'vitest';
import { startAiosmtpd } from '../../support/mail-servers/aiosmtpd.js';
import { judgeWithPython } from '../../support/judges/mail-judges.js';
import type { PeerFixture, SentMail } from '../../support/mail-servers/peer-fixture.js';
import type { MxScript } from '../../support/mail-servers/scripted-mx.js';
import { pythonWith } from '../../support/judges/python.js';
import { selfSignedCertificate } from '../../support/fixtures/self-signed-certificate.js';
import { vouch } from '../../support/services/service-client.js';
import { until } from '../../support/timing/until.js';
import { relayClient } from '../../support/services/relay-client.js';
import { dnsTexts } from '../../support/services/sender.js';

/** Nothing of it is ASCII alone: subject, name, both bodies. */
const WORLD = { subject: 'Grüße, 世界', text: `${'Größe '.repeat(300)}\n.\nende`, html: '<p>Größe</p>' };

/** After these the same host is spoken to again, in the clear. */
const BROKEN_HANDSHAKES = new Set(['leads to no handshake', 'hangs']);

/** Servers whose TLS is broken in every way: nothing is lost by it, and nothing that came before it counts. */
export function brokenTls(fixture: PeerFixture): void {
  const offered = ['STARTTLS', 'SIZE 20000000'];
  const starttls = (raw: string): MxScript => ({ extensions: offered, on: { starttls: { raw } } });
  const own = selfSignedCertificate('somebody.test');

  const kinds: [what: string, host: MxScript, secured: boolean][] = [
    ['is not offered', {}, false],
    ['is refused', { extensions: offered, on: { starttls: '454 4.7.0 not now' } }, false],
    ['leads to no handshake', starttls(`220 2.0.0 go on\r\n${'no TLS here\r\n'.repeat(3)}`), false],
    ['hangs', { extensions: offered, on: { starttls: { reply: '220 2.0.0 go on', then: 'silence' } } }, false],
    ['shows a certificate of its own making', { tls: own }, true],
    ['shows a certificate that is over', { tls: selfSignedCertificate('somebody.test', true) }, true],
    [
      'has replies injected before it',
      { tls: own, ...starttls('220 2.0.0 go on\r\n250-evil\r\n250 SIZE 1\r\n'), extensions: ['SIZE 20000000'] },
      true,
    ],
  ];

  describe('STARTTLS', () => {
    it.each(kinds.map(([what, host, secured]) => ({ what, secured, sent: fixture.mail(fixture.peer(host)) })))(
      'that $what loses no mail',
      async ({ what, secured, sent }) => {
        expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
        expect(sent.dots()).toHaveLength(1);
        const { security, earlier } = await sent.attempt();
        expect(earlier.map(({ phase, ip }) => [phase, ip])).toEqual(
          BROKEN_HANDSHAKES.has(what) ? [['tls', sent.peer.hosts[0]]] : [],
        );
        if (secured) expect(security).toMatchObject({ version: 'TLSv1.3', verified: false });
        else expect(security).toBeNull();
      },
    );

    const strict = kinds.map(([what, host]) => ({ what, peer: fixture.peer(host) }));
    it('that proves nothing is not enough for a domain that enforces it', async () => {
      const account = fixture.account;
      const enforced = `strict.${account.domain}`;
      const id = await vouch(account, account.id, enforced);
      expect((await account.call('PATCH', `/domains/${id}`, { tls: 'enforced' })).status).toBe(200);
      const over = { from: `Shop <orders@${enforced}>` };
      const sent = await Promise.all(strict.map(({ peer }) => fixture.mail(peer, ['one'], over).send()));
      const attempts = await Promise.all(sent.map((one) => one.attempt()));
      for (const [i, attempt] of attempts.entries())
        expect([strict[i].what, attempt]).toMatchObject([
          strict[i].what,
          { outcome: 'deferred', certainty: 'not_sent' },
        ]);
      expect(sent.flatMap((one) => one.dots())).toEqual([]);
    });
  });
}

/** Servers that can do little. What arrives is judged by dkimpy. */
export function poorServers(fixture: PeerFixture): void {
  const extensions = Array.from({ length: 1_000 }, (_, i) => `X-EXTENSION-${i} ${'of no use '.repeat(4)}`);
  const kinds: [string, MxScript][] = [
    ['a thousand extensions', { extensions: [...extensions, 'SIZE 20000000', '8BITMIME'] }],
    ['HELO only', { on: { ehlo: '502 5.5.1 EHLO is not known here' } }],
    ['no PIPELINING', { extensions: ['SIZE 20000000', '8BITMIME'] }],
    ['no 8BITMIME', { extensions: ['SIZE 20000000'] }],
    ['no extension at all', { extensions: [] }],
  ];
  const arrived = async (sent: Pick<SentMail, 'dots'>): Promise<Buffer> => {
    const [dot] = await until(() => Promise.resolve(sent.dots().length > 0 && sent.dots()));
    expect(dot.content.every((octet) => octet < 128)).toBe(true);
    return dot.content;
  };

  describe('servers with', () => {
    const rows = kinds.map(([what, host]) => {
      const relayed = fixture.peer(host);
      return { what, sent: fixture.mail(fixture.peer(host), ['one'], WORLD), relayed };
    });

    it.each(rows)(
      '$what get a mail in seven bits, and no parameter that they did not offer',
      async ({ what, sent }) => {
        expect(await sent.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
        await arrived(sent);
        const [{ parameters }] = sent.dots();
        expect(parameters.toUpperCase()).toMatch(/^(?:SIZE=\d+)?$/);
        if (['HELO only', 'no extension at all'].includes(what)) expect(parameters).toBe('');
      },
    );

    it.skipIf(judgeWithPython === null)(
      'all of these get signatures that hold, also on relayed 8-bit mail',
      async () => {
        const poor = rows.filter(({ what }) => what !== 'a thousand extensions' && what !== 'no PIPELINING');
        for (const { relayed } of poor) await relay(fixture, `one@${relayed.domain}`);
        const mails = await Promise.all([
          ...rows.map(({ sent }) => arrived(sent)),
          ...poor.map(({ relayed }) => arrived({ dots: () => fixture.dots(...relayed.hosts) })),
        ]);
        const judged = await judgeWithPython?.({ signed: mails, records: await dnsTexts(fixture.account) });
        expect(judged?.dkim).toEqual(mails.map(() => [true, true]));
        for (const mail of mails.slice(rows.length)) {
          expect(mail.toString()).toContain('Gr=C3=B6=C3=9Fe');
          expect(mail.toString()).toMatch(/\r\nTo: =\?UTF-8\?.*\?= <one@[^>]+>, root\r\n/);
          expect(mail.toString()).toContain("filename*=utf-8''Gr%C3%B6%C3%9Fe.txt\r\n");
        }
      },
    );

    const saidTo = ({ peer }: SentMail) =>
      fixture
        .server(peer.hosts[0])
        .sessions.flatMap(({ commands }) =>
          commands.filter((line) => line !== 'QUIT').map((line) => line.split(' ')[0]),
        );
    const tight = fixture.mail(fixture.peer({ extensions: ['SIZE 500'] }));
    it('a small SIZE are not even asked', async () => {
      expect((await tight.attempt()).smtp).toMatchObject({ code: null, enhanced: '5.3.4' });
      expect(await tight.ended()).toMatchObject([{ status: 'bounced', attempts: 1 }]);
      expect(saidTo(tight)).toEqual(['EHLO']);
    });

    const abroad = [
      ['SIZE 20000000', '8BITMIME'],
      ['SIZE 20000000', '8BITMIME', 'SMTPUTF8'],
    ];
    const [without, with8] = abroad.map((extensions) => fixture.mail(fixture.peer({ extensions }), ['jürgen']));
    it('and without SMTPUTF8 get an international address, or a bounce', async () => {
      expect(await with8.ended()).toMatchObject([{ status: 'delivered' }]);
      expect(with8.dots()[0].parameters).toContain('SMTPUTF8');
      expect((await without.attempt()).smtp).toMatchObject({ enhanced: '5.6.7' });
      expect(without.dots()).toEqual([]);
      expect(saidTo(without)).toEqual(['EHLO']);
    });
  });
}

/** A server that nobody here has written, and that checks the syntax of commands. */
export function otherServers(fixture: PeerFixture): void {
  const python = pythonWith('aiosmtpd.smtp');
  const { domain, hosts } = fixture.peer('absent');

  it.skipIf(python === null)('aiosmtpd takes mail over TLS, also to an international address', async () => {
    const certificate = selfSignedCertificate('somebody.test');
    const at = { host: hosts[0], port: fixture.account.mxPort, ...certificate };
    const server = await startAiosmtpd(python ?? '', at);
    onTestFinished(() => server.stop());
    const locals = ['one', 'jürgen'];
    const sent = await Promise.all(locals.map((local) => fixture.mail({ domain, hosts }, [local], WORLD).send()));
    for (const one of sent) {
      expect(await one.ended()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
      expect((await one.attempt()).security).toMatchObject({ version: 'TLSv1.3' });
    }
    expect(server.mails().map((mail) => /^X-RcptTo: (.*)@/m.exec(mail.toString())?.[1])).toHaveLength(locals.length);
  });
}

/** An 8-bit mail through the relay, as mail programs write it. */
async function relay({ account }: PeerFixture, to: string): Promise<void> {
  const raw = [
    `From: Shop <${account.from}>`,
    `To: Größe <${to}>, root`,
    'Cc: Verborgene Empfänger:;',
    'List-Id: Größe <size.example>',
    'Received: from größe.example (Größe) by mx.example; Sat, 3 Jan 2026 10:00:00 +0000',
    'Subject: Größe',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    'Content-Description: Größe',
    'Content-Disposition: inline; filename=Größe.txt',
    '',
    'Größe',
    '.dot',
    '',
  ].join('\r\n');
  const transport = relayClient(account);
  await transport.sendMail({ envelope: { from: account.from, to }, raw });
  transport.close();
}
