import { describe, expect, it } from 'vitest';
import { simulations, type Simulation } from '#libs/contracts';
import { simulatedOutcome } from './simulator.js';

const of = (address: string, over: { test?: boolean; sandboxResult?: string } = {}) =>
  simulatedOutcome({ address, serviceDomain: 'postloft.test', test: false, sandboxResult: null, ...over });
const at = (result: Simulation['result'], delayMs = 0) => ({ result, delayMs });

describe('the simulator', () => {
  it.each<[name: string, result: Simulation['result']]>([
    ['delivered', 'delivered'],
    ['ooto', 'delivered'],
    ['bounced', 'bounced'],
    ['softbounced', 'softbounced'],
    ['deferred', 'deferred'],
    ['failed', 'failed'],
    ['complained', 'complained'],
    ['suppressed', 'suppressed'],
    ['opened', 'opened'],
    ['clicked', 'clicked'],
  ])('simulates %s at its own domain, with labels, in any case, and for live emails', (name, result) => {
    for (const local of [name, `${name}+label`, `${name}+a+b`, name.toUpperCase()])
      expect(of(`${local}@sim.postloft.test`)).toEqual(at(result));
    expect(of(`${name}@SIM.Postloft.test`)).toEqual(at(result));
    expect(of(`${name}+x@resend.dev`)).toEqual(at(result));
  });

  it('delivers slow+N after N seconds, at most a minute', () => {
    expect(of('slow+3@sim.postloft.test')).toEqual(at('delivered', 3_000));
    expect(of('slow+3+label@sim.postloft.test')).toEqual(at('delivered', 3_000));
    expect(of('slow+99999@sim.postloft.test')).toEqual(at('delivered', 60_000));
    expect(of('slow@sim.postloft.test')).toEqual(at('delivered'));
    expect(of('slow+soon@sim.postloft.test')).toEqual(at('delivered'));
  });

  it('bounces unknown names at its own domain, so that no DNS query is made', () => {
    for (const local of ['delivred', 'bounced.', 'constructor', '__proto__', 'slow-5'])
      expect(of(`${local}@sim.postloft.test`)).toEqual(at('bounced'));
  });

  it('knows the addresses of the Amazon SES simulator', () => {
    const ses = (local: string) => of(`${local}@simulator.amazonses.com`);
    expect(ses('success')).toEqual(at('delivered'));
    expect(ses('ooto+label')).toEqual(at('delivered'));
    expect(ses('bounce+label')).toEqual(at('bounced'));
    expect(ses('complaint')).toEqual(at('complained'));
    expect(ses('suppressionlist')).toEqual(at('suppressed'));
    expect(ses('constructor')).toBeNull();
  });

  it('does not simulate other live recipients, including similar addresses', () => {
    for (const address of [
      'ann@example.com',
      'bounced@example.com',
      'bounced@notsim.postloft.test',
      'bounced@x.sim.postloft.test',
      'bounced@sim.postloft.test.example.com',
      'onboarding@resend.dev',
      'bounced@mail.resend.dev',
    ])
      expect(of(address)).toBeNull();
    expect(of('ann@example.com', { sandboxResult: 'bounced' })).toBeNull();
  });

  it('simulates every recipient of a test email: by the requested result, then by address, else as delivered', () => {
    const test = true;
    expect(of('ann@example.com', { test })).toEqual(at('delivered'));
    expect(of('bounced@sim.postloft.test', { test })).toEqual(at('bounced'));
    expect(of('ann@example.com', { test, sandboxResult: 'complained' })).toEqual(at('complained'));
    expect(of('bounced@sim.postloft.test', { test, sandboxResult: 'slow+2' })).toEqual(at('delivered', 2_000));
    expect(of('ann@example.com', { test, sandboxResult: 'constructor' })).toEqual(at('delivered'));
  });

  it('accepts the same names in sandbox_result', () => {
    for (const value of ['delivered', 'slow+5', 'slow+60', 'ooto', 'clicked'])
      expect(simulations.rule(value)).toEqual([]);
    for (const value of ['', 'no', 'toString', 'slow', 'slow+61', 'slow+x', 7, null, ['bounced']])
      expect(simulations.rule(value)).toHaveLength(1);
    expect(simulations.parse('slow+5')).toEqual(at('delivered', 5_000));
  });
});
