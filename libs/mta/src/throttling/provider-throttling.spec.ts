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
  throttlingFixture,
  UNREACHABLE,
  YAHOO,
} from '../../../../test/support/delivery/throttling-fixture.js';
import type { Deferred, Outcome } from '../delivery-outcome.js';
import type { ProviderThrottling } from './provider-throttling.js';
import type { ThrottlingState } from './shared-state.js';

describe('the window of a queue', () => {
  it('starts at five and grows by one with each delivery up to the maximum', () => {
    const { shaping } = throttlingFixture();
    expect(shaping.availableSlots(DOMAIN)).toBe(5);
    for (const permit of beginAll(shaping)) permit.release([DELIVERED]);
    expect(shaping.availableSlots(DOMAIN)).toBe(10);
    for (let i = 0; i < 30; i += 1) begin(shaping).release([DELIVERED]);
    expect(shaping.availableSlots(DOMAIN)).toBe(20);
  });

  it('is halved by a 421 and by a lost connection, once for all jobs in flight', () => {
    for (const trouble of [deferred('421 4.3.2 closing', 'rcpt'), UNREACHABLE]) {
      const { shaping } = throttlingFixture();
      for (let i = 0; i < 30; i += 1) begin(shaping).release([DELIVERED]);
      for (const permit of beginAll(shaping)) permit.release([trouble]);
      expect(shaping.availableSlots(DOMAIN)).toBe(10);
      for (const permit of beginAll(shaping)) permit.release([trouble]);
      expect(shaping.availableSlots(DOMAIN)).toBe(5);
    }
  });

  it('never falls below one', () => {
    const { shaping } = throttlingFixture();
    for (let i = 0; i < 10; i += 1) begin(shaping).release([UNREACHABLE]);
    expect(shaping.availableSlots(DOMAIN)).toBe(1);
  });

  it('gives the number of jobs in flight as the reason when it is full', () => {
    const { shaping } = throttlingFixture();
    beginAll(shaping);
    expect(shaping.availableSlots(DOMAIN)).toBe(0);
    expect(shaping.admit(DOMAIN, SENDER)).toMatchObject({
      kind: 'wait',
      reason: {
        kind: 'concurrency',
        queue: 'domain:example.net',
        text: 'Delivery to example.net waits because as many as may be at once, 5, are in progress.',
      },
    });
  });

  it('counts a permit once, even if it is released twice', () => {
    const { shaping } = throttlingFixture();
    const permit = begin(shaping);
    permit.release([ABANDONED]);
    permit.release([ABANDONED]);
    expect(shaping.availableSlots(DOMAIN)).toBe(5);
  });

  it('starts at its maximum for a smarthost, and is unlimited in capture mode', () => {
    const { shaping } = throttlingFixture();
    expect(shaping.availableSlots({ queue: 'smarthost', provider: null })).toBe(20);
    expect(shaping.availableSlots({ queue: 'capture', provider: null })).toBe(Number.MAX_SAFE_INTEGER);
    expect(shaping.admit({ queue: 'capture', provider: null }, SENDER).kind).toBe('go');
  });
});

describe('an automation', () => {
  it('suspends a queue for its time, and reports the reply that caused it', () => {
    const { shaping, events, now, pass } = throttlingFixture();
    begin(shaping, YAHOO).release([deferred('421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred', 'mail')]);
    expect(shaping.availableSlots(YAHOO)).toBe(0);
    expect(shaping.admit(YAHOO, SENDER)).toEqual({
      kind: 'wait',
      until: new Date(now() + 15 * 60_000),
      reason: {
        kind: 'suspended',
        queue: 'yahoo',
        source: null,
        text: 'Delivery to yahoo is paused because a server there says that our emails are deferred because of complaints or an unusual volume.',
        words: '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred',
        mx: 'mx.example.net',
      },
    });
    expect(shaping.availableSlots(GOOGLE)).toBe(5);
    pass(15 * 60_000);
    expect(shaping.availableSlots(YAHOO)).toBe(1);
    shaping.merge({ states: [], workers: 1 });
    expect(events).toMatchObject([
      { event: 'suspended begins', queue: 'yahoo', rule: 'yahoo-deferred', mx: 'mx.example.net' },
      { event: 'suspended ended', queue: 'yahoo' },
    ]);
  });

  it('also matches the reply of an earlier host, even if another host accepted the message', () => {
    const { shaping } = throttlingFixture();
    const { reply, remote } = deferred('421 4.7.0 [TSS04] later', 'greeting') as Deferred;
    begin(shaping, YAHOO).release([{ ...DELIVERED, earlier: [{ phase: 'greeting', reply, remote }] } as Outcome]);
    expect(shaping.admit(YAHOO, SENDER)).toMatchObject({
      kind: 'wait',
      reason: { kind: 'suspended', words: '421 4.7.0 [TSS04] later', mx: 'mx.example.net' },
    });
  });

  it('logs the end of each suspension, even if the next one follows at once', () => {
    const { shaping, events, pass } = throttlingFixture();
    const reply = deferred('421 4.7.0 [TSS04] later', 'mail');
    begin(shaping, YAHOO).release([reply]);
    pass(15 * 60_000);
    begin(shaping, YAHOO).release([reply]);
    expect(events.map((event) => (event as { event: string }).event)).toEqual([
      'suspended begins',
      'suspended ended',
      'suspended begins',
    ]);
  });

  it('logs the begin of a slow-down once, even if it is extended', () => {
    const { shaping, events, pass } = throttlingFixture();
    const reply = deferred('421 4.7.28 unusual rate of mail', 'dot');
    for (let i = 0; i < 3; i += 1) {
      begin(shaping, GOOGLE).release([reply]);
      pass(60_000);
    }
    expect(events).toMatchObject([{ event: 'slow_down begins', queue: 'google' }]);
    pass(24 * 3600_000);
    shaping.merge({ states: [], workers: 1 });
    expect(events).toMatchObject([{ event: 'slow_down begins' }, { event: 'slow_down ended', queue: 'google' }]);
  });

  it('slows a queue down further with each match, and lets it recover in steps', () => {
    const { shaping, pass } = throttlingFixture();
    for (let i = 0; i < 30; i += 1) begin(shaping, GOOGLE).release([DELIVERED]);
    const reply = deferred('421 4.7.28 unusual rate of mail', 'dot');
    const ignored = deferred('421 4.7.26 not authenticated', 'dot');
    begin(shaping, GOOGLE).release([ignored]);
    expect(shaping.penalties()).toEqual([]);
    begin(shaping, GOOGLE).release([reply]);
    begin(shaping, GOOGLE).release([reply]);
    expect(shaping.penalties()).toMatchObject([{ queue: 'google', penalty: { kind: 'slow_down', factor: 0.25 } }]);
    for (let i = 0; i < 30; i += 1) begin(shaping, GOOGLE).release([DELIVERED]);
    expect(shaping.availableSlots(GOOGLE)).toBe(5);
    pass(60 * 60_000);
    expect(shaping.availableSlots(GOOGLE)).toBe(10);
    pass(60_000);
    expect(shaping.availableSlots(GOOGLE)).toBe(20);
    expect(shaping.penalties()).toEqual([]);
  });
});

describe('the shipped automations for all providers', () => {
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
    const { shaping } = throttlingFixture();
    const reply = deferred(words, phase);
    begin(shaping).release([words.startsWith('5') ? bounced(reply) : reply]);
    expect(shaping.penalties()[0]?.penalty.cause.rule ?? null).toBe(rule);
  });
});

describe('a rate limit', () => {
  const plan = planOf({ providers: { google: { connections: 1000, per_minute: 60 } } });

  it('allows a tenth of a minute at once and spreads the rest evenly', () => {
    const { shaping, pass } = throttlingFixture({ plan });
    for (let i = 0; i < 6; i += 1) begin(shaping, GOOGLE).release([DELIVERED]);
    expect(shaping.availableSlots(GOOGLE)).toBe(0);
    const waits = shaping.admit(GOOGLE, SENDER);
    expect(waits).toMatchObject({
      kind: 'wait',
      until: new Date(Date.UTC(2026, 10, 21, 8, 0, 1)),
      reason: {
        kind: 'rate',
        text: 'Delivery to google is limited to 60 per minute, and this email waits for its turn.',
      },
    });
    pass(1000);
    expect(shaping.availableSlots(GOOGLE)).toBe(1);
    begin(shaping, GOOGLE).release([ABANDONED]);
    expect(shaping.availableSlots(GOOGLE)).toBe(1);
  });

  it('is divided by the number of delivery processes, like the number of connections', () => {
    const { shaping, pass } = throttlingFixture({
      plan: planOf({ providers: { google: { connections: 4, per_minute: 60 } } }),
    });
    shaping.merge({ states: [], workers: 3 });
    expect(shaping.availableSlots(GOOGLE)).toBe(1);
    begin(shaping, GOOGLE).release([DELIVERED]);
    begin(shaping, GOOGLE).release([DELIVERED]);
    expect(shaping.admit(GOOGLE, SENDER)).toMatchObject({ reason: { kind: 'rate' } });
    pass(2999);
    expect(shaping.availableSlots(GOOGLE)).toBe(0);
    pass(1);
    expect(shaping.availableSlots(GOOGLE)).toBe(1);
    expect(shaping.availableSlots(DOMAIN)).toBe(5);
  });
});

describe('the state of other processes', () => {
  it('applies here too, and ends when they end it', () => {
    const [one, two] = [throttlingFixture(), throttlingFixture()];
    const published: ThrottlingState[] = [];
    const shared = {
      publish: (state: ThrottlingState) => void published.push(state),
      reserveWarmUp: () => Promise.resolve(0),
    };
    const publisher = throttlingFixture({ shared });
    begin(publisher.shaping, YAHOO).release([deferred('421 4.7.0 [TSS04] later', 'mail')]);
    for (const { shaping } of [one, two]) shaping.merge({ states: published, workers: 2 });
    expect(one.shaping.availableSlots(YAHOO)).toBe(0);
    expect(one.shaping.admit(YAHOO, SENDER)).toMatchObject({
      kind: 'wait',
      reason: { kind: 'suspended', words: '421 4.7.0 [TSS04] later', mx: 'mx.example.net' },
    });
    expect(one.events).toEqual([]);
    const lifted = { ...published[0], until: one.now(), at: one.now() + 1 };
    expect(one.shaping.merge({ states: [...published, lifted], workers: 2 })).toEqual({ lifted: ['yahoo'] });
    expect(one.shaping.merge({ states: [lifted], workers: 2 })).toEqual({ lifted: [] });
    expect(one.shaping.availableSlots(YAHOO)).toBe(1);
    one.shaping.merge({ states: published, workers: 2 });
    expect(one.shaping.availableSlots(YAHOO)).toBe(1);
    publisher.shaping.merge({ states: [lifted], workers: 2 });
    expect(publisher.events).toMatchObject([{ event: 'suspended begins' }, { event: 'suspended ended' }]);
  });

  it('never contains the addresses of a reply', () => {
    const { shaping } = throttlingFixture();
    begin(shaping, YAHOO).release([
      deferred('421 4.7.0 [TSS04] <ann@example.com> from b+x@bounces.example\u0007 later'),
    ]);
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
  const sourceOf = (shaping: ProviderThrottling, sender = SENDER) => begin(shaping, YAHOO, sender).source?.address;

  it('are those of the pool that matches the domain or a tag, else of the first pool, in turn', () => {
    const { shaping } = throttlingFixture({ plan });
    expect(shaping.availableSlots(YAHOO)).toBe(15);
    expect([1, 2, 3, 4].map(() => sourceOf(shaping))).toEqual([a, b, a, b]);
    expect(sourceOf(shaping, { ...SENDER, domain: 'news.example.org' })).toBe(c);
    expect(sourceOf(shaping, { ...SENDER, tags: { stream: 'bulk' } })).toBe(c);
  });

  it('are penalised one by one: the others of the pool continue', () => {
    const { shaping } = throttlingFixture({ plan });
    const first = begin(shaping, YAHOO);
    expect(first.source?.address).toBe(a);
    first.release([deferred('421 4.7.0 [TSS04] later', 'mail')]);
    expect([1, 2, 3].map(() => sourceOf(shaping))).toEqual([b, b, b]);
    expect(shaping.penalties()).toMatchObject([{ queue: 'yahoo', source: a }]);
  });
});

describe('the number of queues in memory', () => {
  it('is bounded: idle queues are dropped when new ones are added', () => {
    const { shaping, pass } = throttlingFixture();
    for (let i = 0; i < 1000; i += 1) {
      begin(shaping, { queue: `domain:${i}.example`, provider: null }).release([DELIVERED]);
      pass(5_000);
    }
    expect(shaping.known).toBeLessThan(300);
  });
});
