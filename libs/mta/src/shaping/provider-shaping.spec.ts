import { describe, expect, it } from 'vitest';
import type { Destination } from '../courier.js';
import { NO_REMOTE } from '../delivery-outcome.js';
import type { Deferred, DeliveryPhase, Outcome } from '../delivery-outcome.js';
import { createShaping } from './create-shaping.js';
import type { ProviderShaping } from './provider-shaping.js';
import type { Pass } from './shaping.js';
import type { ShapingPlan } from './shaping-plan.js';

const SENDER = { domain: 'example.org', tags: {}, recipients: 1 };
const DOMAIN: Destination = { queue: 'domain:example.net', provider: null };
const GOOGLE: Destination = { queue: 'google', provider: 'google' };
const YAHOO: Destination = { queue: 'yahoo', provider: 'yahoo' };

const at = new Date(0);
const remote = { ...NO_REMOTE, mx: 'mx.example.net' };
const delivered: Outcome = {
  key: '0',
  kind: 'delivered',
  reply: { code: 250, enhanced: '2.0.0', text: 'ok' },
  remote,
  startedAt: at,
  endedAt: at,
};
const abandoned: Outcome = { key: '0', kind: 'abandoned', startedAt: at, endedAt: at };

function deferred(words: string, phase: DeliveryPhase = 'rcpt'): Deferred {
  const [code, enhanced, ...text] = words.split(' ');
  const reply = { code: Number(code), enhanced, text: text.join(' ') };
  return { ...common, phase, reply, certainty: 'answered' };
}
const common = { key: '0', kind: 'deferred', remote, class: 'deferral', startedAt: at, endedAt: at } as const;
const unreachable: Deferred = {
  ...common,
  phase: 'connect',
  certainty: 'not_sent',
  reply: { code: null, enhanced: '4.4.1', text: 'no answer' },
};

function desk(plan?: ShapingPlan) {
  let now = Date.UTC(2026, 10, 21, 8);
  const events: object[] = [];
  const shaping = createShaping({
    ...(plan ? { plan } : {}),
    connectionsPerHost: 20,
    now: () => now,
    log: (event) => events.push(event),
  });
  return { shaping, events, now: () => now, pass: (ms: number) => (now += ms) };
}

function begin(shaping: ProviderShaping, destination = DOMAIN, sender = SENDER): Pass {
  const admission = shaping.admit(destination, sender);
  if (admission.kind !== 'go') throw new Error(admission.reason.text);
  return admission.pass;
}

function beginAll(shaping: ProviderShaping, destination = DOMAIN): Pass[] {
  return Array.from({ length: shaping.room(destination) }, () => begin(shaping, destination));
}

describe('the window of a queue', () => {
  it('begins at five and grows by one with each delivery up to the cap', () => {
    const { shaping } = desk();
    expect(shaping.room(DOMAIN)).toBe(5);
    for (const pass of beginAll(shaping)) pass.done([delivered]);
    expect(shaping.room(DOMAIN)).toBe(10);
    for (let i = 0; i < 30; i += 1) begin(shaping).done([delivered]);
    expect(shaping.room(DOMAIN)).toBe(20);
  });

  it('is halved by a 421 and by a broken connection, once for all that were on their way', () => {
    for (const trouble of [deferred('421 4.3.2 closing', 'rcpt'), unreachable]) {
      const { shaping } = desk();
      for (let i = 0; i < 30; i += 1) begin(shaping).done([delivered]);
      for (const pass of beginAll(shaping)) pass.done([trouble]);
      expect(shaping.room(DOMAIN)).toBe(10);
      for (const pass of beginAll(shaping)) pass.done([trouble]);
      expect(shaping.room(DOMAIN)).toBe(5);
    }
  });

  it('never falls below one', () => {
    const { shaping } = desk();
    for (let i = 0; i < 10; i += 1) begin(shaping).done([unreachable]);
    expect(shaping.room(DOMAIN)).toBe(1);
  });

  it('says that it is full and how many are on their way', () => {
    const { shaping } = desk();
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
    const { shaping } = desk();
    const pass = begin(shaping);
    pass.done([abandoned]);
    pass.done([abandoned]);
    expect(shaping.room(DOMAIN)).toBe(5);
  });

  it('is full from the start towards a smarthost, and without end towards the captured inbox', () => {
    const { shaping } = desk();
    expect(shaping.room({ queue: 'smarthost', provider: null })).toBe(20);
    expect(shaping.room({ queue: 'capture', provider: null })).toBe(Number.MAX_SAFE_INTEGER);
    expect(shaping.admit({ queue: 'capture', provider: null }, SENDER).kind).toBe('go');
  });
});

describe('an automation', () => {
  it('suspends a queue until its time is over, and says whose words did it', () => {
    const { shaping, events, now, pass } = desk();
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

  it('slows a queue down, more with each further word, and lets it recover in steps', () => {
    const { shaping, pass } = desk();
    for (let i = 0; i < 30; i += 1) begin(shaping, GOOGLE).done([delivered]);
    const said = deferred('421 4.7.28 unusual rate of mail', 'dot');
    const ignored = deferred('421 4.7.26 not authenticated', 'dot');
    begin(shaping, GOOGLE).done([ignored]);
    expect(shaping.restraints()).toEqual([]);
    begin(shaping, GOOGLE).done([said]);
    begin(shaping, GOOGLE).done([said]);
    expect(shaping.restraints()).toMatchObject([{ queue: 'google', restraint: { kind: 'slow_down', factor: 0.25 } }]);
    for (let i = 0; i < 30; i += 1) begin(shaping, GOOGLE).done([delivered]);
    expect(shaping.room(GOOGLE)).toBe(5);
    pass(60 * 60_000);
    expect(shaping.room(GOOGLE)).toBe(10);
    pass(60_000);
    expect(shaping.room(GOOGLE)).toBe(20);
    expect(shaping.restraints()).toEqual([]);
  });
});
