import { describe, expect, it } from 'vitest';
import {
  ABANDONED,
  begin,
  beginAll,
  bounced,
  deferred,
  DELIVERED,
  DOMAIN,
  GOOGLE,
  planOf,
  SENDER,
  shapingDesk,
  UNREACHABLE,
  YAHOO,
} from '../../../../test/support/shaping-desk.js';
import type { Deferred, Outcome } from '../delivery-outcome.js';
import type { ProviderShaping } from './provider-shaping.js';
import type { ShapingState } from './shaping-memory.js';

describe('the window of a queue', () => {
  it('begins at five and grows by one with each delivery up to the cap', () => {
    const { shaping } = shapingDesk();
    expect(shaping.room(DOMAIN)).toBe(5);
    for (const pass of beginAll(shaping)) pass.done([DELIVERED]);
    expect(shaping.room(DOMAIN)).toBe(10);
    for (let i = 0; i < 30; i += 1) begin(shaping).done([DELIVERED]);
    expect(shaping.room(DOMAIN)).toBe(20);
  });

  it('is halved by a 421 and by a broken connection, once for all that were on their way', () => {
    for (const trouble of [deferred('421 4.3.2 closing', 'rcpt'), UNREACHABLE]) {
      const { shaping } = shapingDesk();
      for (let i = 0; i < 30; i += 1) begin(shaping).done([DELIVERED]);
      for (const pass of beginAll(shaping)) pass.done([trouble]);
      expect(shaping.room(DOMAIN)).toBe(10);
      for (const pass of beginAll(shaping)) pass.done([trouble]);
      expect(shaping.room(DOMAIN)).toBe(5);
    }
  });

  it('never falls below one', () => {
    const { shaping } = shapingDesk();
    for (let i = 0; i < 10; i += 1) begin(shaping).done([UNREACHABLE]);
    expect(shaping.room(DOMAIN)).toBe(1);
  });

  it('says that it is full and how many are on their way', () => {
    const { shaping } = shapingDesk();
    beginAll(shaping);
    expect(shaping.room(DOMAIN)).toBe(0);
    expect(shaping.admit(DOMAIN, SENDER)).toMatchObject({
      kind: 'wait',
      reason: {
        kind: 'concurrency',
        queue: 'domain:example.net',
        text: 'Mail to example.net waits because as many as may be at once, 5, are on their way.',
      },
    });
  });

  it('counts a pass once, however often it is given back', () => {
    const { shaping } = shapingDesk();
    const pass = begin(shaping);
    pass.done([ABANDONED]);
    pass.done([ABANDONED]);
    expect(shaping.room(DOMAIN)).toBe(5);
  });

  it('is full from the start towards a smarthost, and without end towards the captured inbox', () => {
    const { shaping } = shapingDesk();
    expect(shaping.room({ queue: 'smarthost', provider: null })).toBe(20);
    expect(shaping.room({ queue: 'capture', provider: null })).toBe(Number.MAX_SAFE_INTEGER);
    expect(shaping.admit({ queue: 'capture', provider: null }, SENDER).kind).toBe('go');
  });
});

describe('an automation', () => {
  it('suspends a queue until its time is over, and says whose words did it', () => {
    const { shaping, events, now, pass } = shapingDesk();
    begin(shaping, YAHOO).done([deferred('421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred', 'mail')]);
    expect(shaping.room(YAHOO)).toBe(0);
    expect(shaping.admit(YAHOO, SENDER)).toEqual({
      kind: 'wait',
      until: new Date(now() + 15 * 60_000),
      reason: {
        kind: 'suspended',
        queue: 'yahoo',
        source: null,
        text: 'Mail to yahoo is paused because of what a server there answered (yahoo-deferred).',
        words: '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred',
        mx: 'mx.example.net',
      },
    });
    expect(shaping.room(GOOGLE)).toBe(5);
    pass(15 * 60_000);
    expect(shaping.room(YAHOO)).toBe(1);
    shaping.learn({ states: [], workers: 1 });
    expect(events).toMatchObject([
      { event: 'suspended begins', queue: 'yahoo', rule: 'yahoo-deferred', mx: 'mx.example.net' },
      { event: 'suspended ended', queue: 'yahoo' },
    ]);
  });

  it('hears what a host said at which the attempt stood before, also when another took the mail', () => {
    const { shaping } = shapingDesk();
    const { reply, remote } = deferred('421 4.7.0 [TSS04] later', 'greeting') as Deferred;
    begin(shaping, YAHOO).done([{ ...DELIVERED, earlier: [{ phase: 'greeting', reply, remote }] } as Outcome]);
    expect(shaping.admit(YAHOO, SENDER)).toMatchObject({
      kind: 'wait',
      reason: { kind: 'suspended', words: '421 4.7.0 [TSS04] later', mx: 'mx.example.net' },
    });
  });

  it('tells the end of each suspension, also when the next one follows at once', () => {
    const { shaping, events, pass } = shapingDesk();
    const said = deferred('421 4.7.0 [TSS04] later', 'mail');
    begin(shaping, YAHOO).done([said]);
    pass(15 * 60_000);
    begin(shaping, YAHOO).done([said]);
    expect(events.map((event) => (event as { event: string }).event)).toEqual([
      'suspended begins',
      'suspended ended',
      'suspended begins',
    ]);
  });

  it('tells once that a queue is slowed down, however often it is slowed down further', () => {
    const { shaping, events, pass } = shapingDesk();
    const said = deferred('421 4.7.28 unusual rate of mail', 'dot');
    for (let i = 0; i < 3; i += 1) {
      begin(shaping, GOOGLE).done([said]);
      pass(60_000);
    }
    expect(events).toMatchObject([{ event: 'slow_down begins', queue: 'google' }]);
    pass(24 * 3600_000);
    shaping.learn({ states: [], workers: 1 });
    expect(events).toMatchObject([{ event: 'slow_down begins' }, { event: 'slow_down ended', queue: 'google' }]);
  });

  it('slows a queue down, more with each further word, and lets it recover in steps', () => {
    const { shaping, pass } = shapingDesk();
    for (let i = 0; i < 30; i += 1) begin(shaping, GOOGLE).done([DELIVERED]);
    const said = deferred('421 4.7.28 unusual rate of mail', 'dot');
    const ignored = deferred('421 4.7.26 not authenticated', 'dot');
    begin(shaping, GOOGLE).done([ignored]);
    expect(shaping.restraints()).toEqual([]);
    begin(shaping, GOOGLE).done([said]);
    begin(shaping, GOOGLE).done([said]);
    expect(shaping.restraints()).toMatchObject([{ queue: 'google', restraint: { kind: 'slow_down', factor: 0.25 } }]);
    for (let i = 0; i < 30; i += 1) begin(shaping, GOOGLE).done([DELIVERED]);
    expect(shaping.room(GOOGLE)).toBe(5);
    pass(60 * 60_000);
    expect(shaping.room(GOOGLE)).toBe(10);
    pass(60_000);
    expect(shaping.room(GOOGLE)).toBe(20);
    expect(shaping.restraints()).toEqual([]);
  });
});

describe('the shipped automations for everybody', () => {
  const cases: [words: string, phase: 'greeting' | 'mail' | 'rcpt' | 'dot', rule: string | null][] = [
    ['421 4.3.2 Service not available', 'greeting', 'busy'],
    ['421 4.3.2 Service not available', 'dot', null],
    ['421 4.7.0 Too many concurrent SMTP connections', 'greeting', 'too-many-connections'],
    ['451 4.7.1 You are sending too fast, slow down', 'rcpt', 'sending-too-fast'],
    ['450 4.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org', 'rcpt', 'listed-address'],
    ['554 5.7.1 Your IP 192.0.2.1 is on our blocklist', 'greeting', 'listed-address'],
    ['451 4.7.1 Poor sender reputation', 'dot', 'reputation'],
    ['450 4.2.1 The user you are trying to contact is receiving mail at a rate that is too high', 'rcpt', null],
    ['452 4.2.2 The mailbox is over quota', 'rcpt', null],
    ['450 4.7.1 Greylisted, try again in 300 seconds', 'rcpt', null],
    ['550 5.1.1 No such user', 'rcpt', null],
  ];

  it.each(cases)('read %s at %s as %s', (words, phase, rule) => {
    const { shaping } = shapingDesk();
    const said = deferred(words, phase);
    begin(shaping).done([words.startsWith('5') ? bounced(said) : said]);
    expect(shaping.restraints()[0]?.restraint.cause.rule ?? null).toBe(rule);
  });
});

describe('a rate', () => {
  const plan = planOf({ providers: { google: { connections: 1000, per_minute: 60 } } });

  it('lets a tenth of a minute go at once and the rest evenly', () => {
    const { shaping, pass } = shapingDesk({ plan });
    for (let i = 0; i < 6; i += 1) begin(shaping, GOOGLE).done([DELIVERED]);
    expect(shaping.room(GOOGLE)).toBe(0);
    const waits = shaping.admit(GOOGLE, SENDER);
    expect(waits).toMatchObject({
      kind: 'wait',
      until: new Date(Date.UTC(2026, 10, 21, 8, 0, 1)),
      reason: { kind: 'rate', text: 'Mail to google is limited to 60 per minute; it goes when its turn comes.' },
    });
    pass(1000);
    expect(shaping.room(GOOGLE)).toBe(1);
    begin(shaping, GOOGLE).done([ABANDONED]);
    expect(shaping.room(GOOGLE)).toBe(1);
  });

  it('is divided by the number of delivery processes, as is the number of connections', () => {
    const { shaping, pass } = shapingDesk({
      plan: planOf({ providers: { google: { connections: 4, per_minute: 60 } } }),
    });
    shaping.learn({ states: [], workers: 3 });
    expect(shaping.room(GOOGLE)).toBe(1);
    begin(shaping, GOOGLE).done([DELIVERED]);
    begin(shaping, GOOGLE).done([DELIVERED]);
    expect(shaping.admit(GOOGLE, SENDER)).toMatchObject({ reason: { kind: 'rate' } });
    pass(2999);
    expect(shaping.room(GOOGLE)).toBe(0);
    pass(1);
    expect(shaping.room(GOOGLE)).toBe(1);
    expect(shaping.room(DOMAIN)).toBe(5);
  });
});

describe('what other processes learnt', () => {
  it('counts here too, and ends when they lift it', () => {
    const [one, two] = [shapingDesk(), shapingDesk()];
    const told: ShapingState[] = [];
    const memory = { tell: (state: ShapingState) => void told.push(state), takeWarmUp: () => Promise.resolve(0) };
    const teller = shapingDesk({ memory });
    begin(teller.shaping, YAHOO).done([deferred('421 4.7.0 [TSS04] later', 'mail')]);
    for (const { shaping } of [one, two]) shaping.learn({ states: told, workers: 2 });
    expect(one.shaping.room(YAHOO)).toBe(0);
    expect(one.shaping.admit(YAHOO, SENDER)).toMatchObject({
      kind: 'wait',
      reason: { kind: 'suspended', words: '421 4.7.0 [TSS04] later', mx: 'mx.example.net' },
    });
    expect(one.events).toEqual([]);
    const lifted = { ...told[0], until: one.now(), at: one.now() + 1 };
    expect(one.shaping.learn({ states: [...told, lifted], workers: 2 })).toEqual({ lifted: ['yahoo'] });
    expect(one.shaping.learn({ states: [lifted], workers: 2 })).toEqual({ lifted: [] });
    expect(one.shaping.room(YAHOO)).toBe(1);
    one.shaping.learn({ states: told, workers: 2 });
    expect(one.shaping.room(YAHOO)).toBe(1);
    teller.shaping.learn({ states: [lifted], workers: 2 });
    expect(teller.events).toMatchObject([{ event: 'suspended begins' }, { event: 'suspended ended' }]);
  });

  it('never shows the addresses that a reply names', () => {
    const { shaping } = shapingDesk();
    begin(shaping, YAHOO).done([deferred('421 4.7.0 [TSS04] <ann@example.com> from b+x@bounces.example\u0007 later')]);
    expect(shaping.admit(YAHOO, SENDER)).toMatchObject({
      reason: { words: '421 4.7.0 [TSS04] (address) from (address) later' },
    });
  });
});

describe('source addresses', () => {
  const [a, b, c] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
  const plan = planOf({
    sources: { usual: [{ address: a }, { address: b }], bulk: [{ address: c }] },
    rules: [
      { domain: 'news.example.org', pool: 'bulk' },
      { tag: 'stream=bulk', pool: 'bulk' },
    ],
  });
  const sourceOf = (shaping: ProviderShaping, sender = SENDER) => begin(shaping, YAHOO, sender).source?.address;

  it('are those of the pool that the domain or a tag picks, else of the first pool, in turn', () => {
    const { shaping } = shapingDesk({ plan });
    expect(shaping.room(YAHOO)).toBe(15);
    expect([1, 2, 3, 4].map(() => sourceOf(shaping))).toEqual([a, b, a, b]);
    expect(sourceOf(shaping, { ...SENDER, domain: 'news.example.org' })).toBe(c);
    expect(sourceOf(shaping, { ...SENDER, tags: { stream: 'bulk' } })).toBe(c);
  });

  it('are held back one by one: the others of the pool go on', () => {
    const { shaping } = shapingDesk({ plan });
    const first = begin(shaping, YAHOO);
    expect(first.source?.address).toBe(a);
    first.done([deferred('421 4.7.0 [TSS04] later', 'mail')]);
    expect([1, 2, 3].map(() => sourceOf(shaping))).toEqual([b, b, b]);
    expect(shaping.restraints()).toMatchObject([{ queue: 'yahoo', source: a }]);
  });
});

describe('the memory of queues', () => {
  it('is bounded: idle ones are forgotten as new ones come', () => {
    const { shaping, pass } = shapingDesk();
    for (let i = 0; i < 1000; i += 1) {
      begin(shaping, { queue: `domain:${i}.example`, provider: null }).done([DELIVERED]);
      pass(5_000);
    }
    expect(shaping.known).toBeLessThan(300);
  });
});
