import type { Rule } from '#libs/contracts';
import type { Config } from '#libs/kernel';
import { domainOf, normaliseAddress } from '#libs/mime';

/** The outcomes that can be simulated without sending (docs/decisions/029-test-mode.md). */
export const SIMULATED_RESULTS = [
  'delivered',
  'bounced',
  'softbounced',
  'deferred',
  'failed',
  'complained',
  'suppressed',
  'opened',
  'clicked',
] as const;
export type SimulatedResult = (typeof SIMULATED_RESULTS)[number];

export interface Simulation {
  result: SimulatedResult;
  /** Milliseconds after the email was due. */
  delayMs: number;
}

/** A longer delay would only slow down tests. */
const MAX_DELAY_SECONDS = 60;
/** Addresses of the Amazon SES simulator. */
const SES_NAMES: Readonly<Record<string, SimulatedResult>> = {
  success: 'delivered',
  ooto: 'delivered',
  bounce: 'bounced',
  complaint: 'complained',
  suppressionlist: 'suppressed',
};

/** Parses a value of `sandbox_result`: a simulated result or `slow+N`; null for anything else. */
export function parseSimulation(text: string): Simulation | null {
  const [name, label] = text.toLowerCase().split('+', 2);
  if (name === 'ooto') return { result: 'delivered', delayMs: 0 };
  if (name === 'slow') return { result: 'delivered', delayMs: delayOf(label) };
  const result = SIMULATED_RESULTS.find((candidate) => candidate === name);
  return result ? { result, delayMs: 0 } : null;
}

export const sandboxResultRule: Rule = (value) =>
  typeof value === 'string' && parseSimulation(value) !== null && !isSlowWithoutSeconds(value)
    ? []
    : [
        {
          path: '',
          code: 'unknown_result',
          message: `must be one of ${SIMULATED_RESULTS.join(', ')}, ooto, slow+N (N seconds, at most ${MAX_DELAY_SECONDS})`,
        },
      ];

/**
 * Returns the simulated outcome of a recipient, or null if the message is sent. A test email is never sent: the
 * requested outcome has precedence, then the address, and every other address is delivered.
 */
export function simulatedOutcome(of: {
  address: string;
  serviceDomain: string;
  test: boolean;
  sandboxResult: string | null;
}): Simulation | null {
  const asked = of.test && of.sandboxResult !== null ? parseSimulation(of.sandboxResult) : null;
  return asked ?? byAddress(of.address, of.serviceDomain) ?? (of.test ? { result: 'delivered', delayMs: 0 } : null);
}

/** Simulated outcomes add no suppression. */
export const isSimulated = ({ test }: { test: boolean }, address: string, config: Config): boolean =>
  simulatedOutcome({ address, serviceDomain: config.settings.SERVICE_DOMAIN, test, sandboxResult: null }) !== null;

function byAddress(written: string, serviceDomain: string): Simulation | null {
  const address = normaliseAddress(written);
  const local = address.slice(0, address.lastIndexOf('@'));
  switch (domainOf(address)) {
    case `sim.${serviceDomain.toLowerCase()}`:
      // Unknown names at the simulator's own domain bounce: a typing error must not lead to a DNS query.
      return parseSimulation(local) ?? { result: 'bounced', delayMs: 0 };
    case 'resend.dev':
      return parseSimulation(local);
    case 'simulator.amazonses.com': {
      const result = Object.hasOwn(SES_NAMES, local.split('+', 1)[0]) ? SES_NAMES[local.split('+', 1)[0]] : null;
      return result ? { result, delayMs: 0 } : null;
    }
    default:
      return null;
  }
}

/** The label of an address is optional, but the value of a field must be complete. */
const isSlowWithoutSeconds = (value: string): boolean =>
  /^slow/i.test(value) && (!/^slow\+\d{1,2}$/i.test(value) || Number(value.slice('slow+'.length)) > MAX_DELAY_SECONDS);

/** Milliseconds; 0 without a number. */
function delayOf(label: string | undefined): number {
  const seconds = /^\d{1,6}$/.test(label ?? '') ? Number(label) : 0;
  return Math.min(seconds, MAX_DELAY_SECONDS) * 1_000;
}
