import type { Rule } from './definitions/rule.js';

/** The outcomes that can be simulated without sending (docs/decisions/029-test-mode.md). */
const SIMULATED_RESULTS = [
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
type SimulatedResult = (typeof SIMULATED_RESULTS)[number];

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

/** The domain of the simulator of this service. */
const simulatorDomain = (serviceDomain: string): string => `sim.${serviceDomain.toLowerCase()}`;

/** The outcome of a normalised address of the simulator; null for every other address. */
function addressSimulation(address: string, serviceDomain: string): Simulation | null {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  switch (address.slice(at + 1)) {
    case simulatorDomain(serviceDomain):
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

/** The outcomes that test emails and addresses of the simulator ask for. */
export const simulations = {
  names: SIMULATED_RESULTS,
  parse: parseSimulation,
  ofAddress: addressSimulation,
  domainOf: simulatorDomain,
  rule: sandboxResultRule,
};
