import { afterEach, describe, expect, it } from 'vitest';
import { at, brief, CONTENT, CourierFixture } from '../../../test/support/delivery/courier-fixture.js';
import {
  ORDINARY_EXTENSIONS,
  WITHOUT_PIPELINING,
  type MxScript,
} from '../../../test/support/mail-servers/scripted-mx.js';

let fixture: CourierFixture;

async function serve(script: MxScript) {
  fixture = await CourierFixture.start();
  const [mx] = await fixture.serve(script);
  return mx;
}

afterEach(() => fixture.close());

describe('an ordinary server', () => {
  it('receives the message byte by byte, and its reply is returned', async () => {
    const mx = await serve({ on: { dot: '250 2.0.0 Ok: queued as 4711' } });
    const [outcome] = await fixture.deliver();
    expect(outcome).toMatchObject({
      key: 'one@to.test',
      kind: 'delivered',
      reply: { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4711' },
      remote: { mx: 'mx1.to.test', ip: '127.0.0.1', tls: null, policy: 'opportunistic' },
    });
    expect(mx.mails[0]).toMatchObject({ mailFrom: 'a@from.test', recipients: ['one@to.test'] });
    expect(mx.mails[0].content).toEqual(CONTENT);
    expect(mx.mails[0].parameters).toBe(`SIZE=${CONTENT.length}`);
    expect(mx.sessions[0].commands[0]).toBe('EHLO out.from.test');
  });

  it.each([
    ['an empty mail', ''],
    ['no final line end', 'Subject: x\r\n\r\nlast'],
    ['dots at the beginning, the end and alone', '.a\r\n..\r\n.\r\n\r\n.\r\n...b\r\n.'],
  ])('receives %s unchanged, with a final line end', async (_, text) => {
    const mx = await serve({});
    await fixture.send({ ...fixture.job(), content: () => Promise.resolve(Buffer.from(text)) });
    const expected = text === '' || text.endsWith('\r\n') ? text : `${text}\r\n`;
    expect(mx.mails[0].content.toString()).toBe(expected);
  });

  it('receives a message of 3 MB', async () => {
    const content = Buffer.from(`Subject: big\r\n\r\n${'.0123456789abcdef\r\n'.repeat(160_000)}`);
    const mx = await serve({});
    const [outcome] = await fixture.send({ ...fixture.job(), content: () => Promise.resolve(content) });
    expect(brief(outcome)).toBe('delivered');
    expect(mx.mails[0].content.equals(content)).toBe(true);
  });

  it('receives the null sender as <>', async () => {
    const mx = await serve({});
    await fixture.send({ ...fixture.job(), mailFrom: '' });
    expect(mx.sessions[0].commands[1]).toMatch(/^MAIL FROM:<> /);
  });
});

describe('a server that refuses us before the first message', () => {
  it.each([
    ['greeting', { on: { banner: '554 5.7.1 your address is on a list' } }],
    ['ehlo', { on: { ehlo: '421 4.3.2 closing', helo: '421 4.3.2 closing' } }],
  ] as const)('at %s is reported with our source address', async (phase, script) => {
    await serve(script);
    const [outcome] = await fixture.deliver();
    expect(outcome).toMatchObject({ kind: 'deferred', phase, remote: { ip: '127.0.0.1', source: '127.0.0.1' } });
  });
});

describe('several recipients', () => {
  const byName: Record<string, string> = { two: '550 5.1.1 unknown', three: '451 4.2.0 later' };
  const mixed = at('rcpt', '250 ok');
  mixed.on = { rcpt: ({ line }) => byName[/<(\w+)@/.exec(line)?.[1] ?? ''] };

  it.each([ORDINARY_EXTENSIONS, WITHOUT_PIPELINING])('have an outcome each', async (...extensions) => {
    const mx = await serve({ ...mixed, extensions: extensions.flat() });
    const outcomes = await fixture.deliver('one@to.test', 'two@to.test', 'three@to.test');
    expect(outcomes.map(brief)).toEqual(['delivered', 'bounced rcpt 550', 'deferred answered rcpt 451']);
    expect(mx.mails.map((mail) => mail.recipients)).toEqual([['one@to.test']]);
  });

  it('none of whom is accepted: a lone dot follows if the server replies 354 all the same', async () => {
    const mx = await serve({ on: { ...mixed.on, data: '354 go on' } });
    const outcomes = await fixture.deliver('two@to.test', 'three@to.test');
    expect(outcomes.map(brief)).toEqual(['bounced rcpt 550', 'deferred answered rcpt 451']);
    expect(mx.mails[0].content).toHaveLength(0);
    expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect(mx.sessions).toHaveLength(1);
  });

  it('none of whom is accepted: the next message resets and uses the connection', async () => {
    const mx = await serve({ ...mixed, extensions: WITHOUT_PIPELINING });
    await fixture.deliver('two@to.test');
    expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect(mx.sessions[0].commands.map((line) => line.split(' ')[0])).toEqual([
      'EHLO',
      'MAIL',
      'RCPT',
      'RSET',
      'MAIL',
      'RCPT',
      'DATA',
    ]);
  });

  it.each([
    '452 4.5.3 too many',
    '452 too many recipients',
    '552 5.5.3 too many recipients',
    '552 too many recipients',
  ])('beyond the limit of the server (%s) follow in further transactions of the same attempt', async (reply) => {
    const mx = await serve({ on: { rcpt: ({ accepted }) => (accepted.length >= 2 ? reply : undefined) } });
    const addresses = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@to.test`);
    const outcomes = await fixture.deliver(...addresses);
    expect(outcomes.map(brief)).toEqual(addresses.map(() => 'delivered'));
    expect(mx.mails.map((mail) => mail.recipients.length)).toEqual([2, 2, 1]);
  });

  it('are not tried again if the server refuses the first one as too many', async () => {
    const mx = await serve(at('rcpt', '452 4.5.3 too many'));
    expect((await fixture.deliver()).map(brief)).toEqual(['deferred answered rcpt 452']);
    expect(mx.count('rcpt')).toBe(1);
    mx.script = at('rcpt', '552 too many recipients');
    expect((await fixture.deliver()).map(brief)).toEqual(['deferred answered rcpt 552']);
  });

  it('that were refused before the connection was lost stay refused, the others go to the next host', async () => {
    fixture = await CourierFixture.start();
    const [, second] = await fixture.serve({ on: { ...mixed.on, data: 'close' }, extensions: WITHOUT_PIPELINING }, {});
    const outcomes = await fixture.deliver('one@to.test', 'two@to.test');
    expect(outcomes.map(brief)).toEqual(['delivered', 'bounced rcpt 550']);
    expect(second.mails.map((mail) => mail.recipients)).toEqual([['one@to.test']]);
  });
});

describe('servers without extensions', () => {
  it('that support HELO only get no parameters', async () => {
    const mx = await serve(at('ehlo', '502 5.5.1 what'));
    expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect(mx.sessions[0].commands).toEqual([
      'EHLO out.from.test',
      'HELO out.from.test',
      'MAIL FROM:<a@from.test>',
      'RCPT TO:<one@to.test>',
      'DATA',
    ]);
  });

  it('that offer nothing get no parameter', async () => {
    const mx = await serve({ extensions: [] });
    await fixture.deliver();
    expect(mx.mails[0].parameters).toBe('');
  });

  describe('and content that is not 7-bit', () => {
    const BODY = Buffer.from('Subject: x\r\n\r\nGrüße\r\n');
    const HEADER = Buffer.from('Subject: Grüße\r\n\r\nx\r\n');
    const LATIN_1 = Buffer.from(HEADER.toString(), 'latin1');
    const SEVEN = Buffer.from('Subject: x\r\n\r\nGr=C3=BC=C3=9Fe\r\n');

    it.each([
      ['goes as it is to 8BITMIME', ['8BITMIME'], BODY, BODY, 'BODY=8BITMIME'],
      ['goes in seven bits without it', [], BODY, SEVEN, ''],
      ['goes as it is to SMTPUTF8', ['8BITMIME', 'SMTPUTF8'], HEADER, HEADER, 'BODY=8BITMIME SMTPUTF8'],
      [
        'in a header that is not UTF-8 goes in seven bits to SMTPUTF8 too',
        ['8BITMIME', 'SMTPUTF8'],
        LATIN_1,
        SEVEN,
        '',
      ],
      ['in the header goes in seven bits without SMTPUTF8', ['8BITMIME'], HEADER, SEVEN, ''],
    ])('%s', async (_, extensions, content, received, parameters) => {
      const mx = await serve({ extensions });
      const forms = { content: () => Promise.resolve(content), sevenBit: () => Promise.resolve(SEVEN) };
      expect(brief((await fixture.send({ ...fixture.job(), ...forms }))[0])).toBe('delivered');
      expect(mx.mails[0]).toMatchObject({ content: received, parameters });
    });

    it('with a header that is not UTF-8 is sent as it is if it cannot be converted, without SMTPUTF8', async () => {
      const mx = await serve({ extensions: ['8BITMIME', 'SMTPUTF8'] });
      const forms = { content: () => Promise.resolve(LATIN_1), sevenBit: () => Promise.resolve(null) };
      expect(brief((await fixture.send({ ...fixture.job(), ...forms }))[0])).toBe('delivered');
      expect(mx.mails[0]).toMatchObject({ content: LATIN_1, parameters: 'BODY=8BITMIME' });
    });

    it.each([
      ['5.6.3', BODY, []],
      ['5.6.3', LATIN_1, []],
      ['5.6.7', HEADER, ['8BITMIME']],
    ])('bounces by %s if it cannot be converted, and is not offered', async (enhanced, content, extensions) => {
      const mx = await serve({ extensions });
      const forms = { content: () => Promise.resolve(content), sevenBit: () => Promise.resolve(null) };
      const [outcome] = await fixture.send({ ...fixture.job(), ...forms });
      expect(outcome).toMatchObject({ kind: 'bounced', class: 'content', bounceType: 'soft', reply: { enhanced } });
      expect(mx.count('mail')).toBe(0);
    });
  });

  it('with a small SIZE: the message bounces before it is offered', async () => {
    const mx = await serve({ extensions: ['SIZE 20'] });
    const [outcome] = await fixture.deliver();
    expect(outcome).toMatchObject({
      kind: 'bounced',
      class: 'too_large',
      bounceType: 'soft',
      reply: { enhanced: '5.3.4' },
    });
    expect(mx.count('mail')).toBe(0);
  });

  it('without SMTPUTF8: an address that needs it is not offered, the other recipient receives the message', async () => {
    const mx = await serve({ extensions: ['PIPELINING'] });
    const outcomes = await fixture.deliver('grün@to.test', 'one@to.test');
    expect(outcomes.map(brief)).toEqual(['bounced ehlo 5.6.7', 'delivered']);
    expect(mx.mails[0].recipients).toEqual(['one@to.test']);
  });

  it('with SMTPUTF8: the local part is sent as it is and the domain as A-labels', async () => {
    const mx = await serve({});
    fixture.dns.set('xn--grn-ioa.test', { MX: [{ preference: 1, exchange: 'mx1.to.test' }] });
    await fixture.deliver('jürgen@grün.test');
    expect(mx.mails[0].parameters).toMatch(/ SMTPUTF8$/);
    expect(mx.sessions[0].commands).toContain('RCPT TO:<jürgen@xn--grn-ioa.test>');
  });
});

describe('a server without SMTPUTF8 beside others', () => {
  const POOR: MxScript = { extensions: ['PIPELINING'] };
  const HEADER = Buffer.from('Subject: Grüße\r\n\r\nx\r\n');
  const serveAll = async (...scripts: MxScript[]) => {
    fixture = await CourierFixture.start();
    return fixture.serve(...scripts);
  };

  it('leaves the recipients that it does not support to them', async () => {
    const [first, second] = await serveAll(POOR, {});
    const outcomes = await fixture.deliver('grün@to.test', 'one@to.test');
    expect(outcomes).toMatchObject([
      {
        kind: 'delivered',
        remote: { mx: 'mx2.to.test' },
        earlier: [{ remote: { mx: 'mx1.to.test' }, phase: 'ehlo', reply: { enhanced: '5.6.7' } }],
      },
      { kind: 'delivered', remote: { mx: 'mx1.to.test' } },
    ]);
    expect(outcomes[1]).not.toHaveProperty('earlier');
    expect([first, second].map(({ mails }) => mails.map(({ recipients }) => recipients))).toEqual([
      [['one@to.test']],
      [['grün@to.test']],
    ]);
  });

  it('leaves a message that cannot be converted to them', async () => {
    const [first, second] = await serveAll(POOR, {});
    const [outcome] = await fixture.send({ ...fixture.job(), content: () => Promise.resolve(HEADER) });
    expect(outcome).toMatchObject({ kind: 'delivered', remote: { mx: 'mx2.to.test' } });
    expect([first.count('mail'), second.mails[0].content]).toEqual([0, HEADER]);
  });

  it('causes a bounce with the right reason if they do not support it either', async () => {
    await serveAll(POOR, POOR);
    const job = { ...fixture.job('grün@to.test', 'one@to.test'), content: () => Promise.resolve(HEADER) };
    const outcomes = await fixture.send(job);
    expect(outcomes.map(brief)).toEqual(['bounced ehlo 5.6.7', 'bounced ehlo 5.6.7']);
    expect(outcomes).toMatchObject([
      { reply: { text: expect.stringContaining('addresses') as string }, remote: { mx: 'mx2.to.test' } },
      { reply: { text: expect.stringContaining('headers') as string }, earlier: [{ remote: { mx: 'mx1.to.test' } }] },
    ]);
  });

  it('causes a deferral if one of them could not be reached', async () => {
    const [, second] = await serveAll(POOR, at('banner', '421 4.3.2 later'));
    expect((await fixture.deliver('grün@to.test')).map(brief)).toEqual(['deferred answered greeting 421']);
    second.script = {};
    expect((await fixture.deliver('grün@to.test')).map(brief)).toEqual(['delivered']);
  });

  it('is not tried again at its other addresses', async () => {
    const servers = await serveAll(POOR, POOR);
    fixture.dns.set('mx1.to.test', { A: ['127.0.0.1', '127.0.0.2'] });
    fixture.dns.set('to.test', { MX: [{ preference: 1, exchange: 'mx1.to.test' }] });
    expect((await fixture.deliver('grün@to.test')).map(brief)).toEqual(['bounced ehlo 5.6.7']);
    expect(servers.flatMap(({ sessions }) => sessions)).toHaveLength(1);
  });
});

describe('the caller', () => {
  it('with a lost claim stops the attempt before MAIL', async () => {
    const mx = await serve({});
    const [outcome] = await fixture.send({ ...fixture.job(), permit: () => false });
    expect(brief(outcome)).toBe('abandoned');
    expect(mx.count('mail')).toBe(0);
  });

  it('whose content fails gets a deferral, and the connection stays usable', async () => {
    const mx = await serve({});
    const [outcome] = await fixture.send({
      ...fixture.job(),
      content: () => Promise.reject(new Error('gone')),
    });
    expect(outcome).toMatchObject({ kind: 'deferred', certainty: 'not_sent', reply: { enhanced: '4.3.0' } });
    expect(brief((await fixture.deliver())[0])).toBe('delivered');
    expect(mx.sessions).toHaveLength(1);
  });

  it.each(['a@from.test>\r\nRCPT TO:<x@y.test', 'a\u0000@from.test', 'a b@from.test'])(
    'cannot smuggle a command in the sender %j',
    async (mailFrom) => {
      const mx = await serve({});
      const [outcome] = await fixture.send({ ...fixture.job(), mailFrom });
      expect(outcome).toMatchObject({ kind: 'bounced', bounceType: 'soft', reply: { enhanced: '5.1.7' } });
      expect(mx.sessions).toHaveLength(0);
    },
  );

  it.each(['x@to.test>\r\nDATA\r\n<x@to.test', '"a"> NOTIFY=NEVER <x@to.test', '"a" b@to.test', '@to.test', 'to.test'])(
    'cannot smuggle a command in the recipient %j',
    async (address) => {
      const mx = await serve({});
      const [outcome] = await fixture.deliver(address);
      expect(outcome).toMatchObject({ kind: 'bounced', reply: { enhanced: '5.1.3' } });
      expect(mx.sessions).toHaveLength(0);
    },
  );

  it('whose own code throws gets a deferral, and one line in the log', async () => {
    await serve({});
    const permit = () => {
      throw new Error('bug');
    };
    const [outcome] = await fixture.send({ ...fixture.job(), permit });
    expect(outcome).toMatchObject({ kind: 'deferred', certainty: 'not_sent', reply: { enhanced: '4.3.0' } });
    expect(fixture.events).toMatchObject([{ event: 'courier.unexpected_error', id: 'em_1' }]);
  });

  it('may use a quoted local part', async () => {
    const mx = await serve({});
    expect(brief((await fixture.deliver('"a <b> \\"c"@to.test'))[0])).toBe('delivered');
    expect(mx.sessions[0].commands).toContain('RCPT TO:<"a <b> \\"c"@to.test>');
  });
});
