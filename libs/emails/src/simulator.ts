import type { Config } from '#libs/kernel';
import { domainOf, normaliseAddress } from '#libs/mime';
import type { Rule } from './intake/rule.js';

/** What can be made to happen to a mail without sending it (details §7). */
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
  /** Milliseconds after the mail was due until it happens. */
  delayMs: number;
}

/** Longer would only keep a test waiting. */
const SLOWEST_SECONDS = 60;
/** Names of the simulator of Amazon SES. */
const SES_NAMES: Readonly<Record<string, SimulatedResult>> = {
  success: 'delivered',
  ooto: 'delivered',
  bounce: 'bounced',
  complaint: 'complained',
  suppressionlist: 'suppressed',
};

/** A value of `sandbox_result`: a name of the table, `slow+N` included, or null. */
export function simulationNamed(text: string): Simulation | null {
  const [name, label] = text.toLowerCase().split('+', 2);
  if (name === 'ooto') return { result: 'delivered', delayMs: 0 };
  if (name === 'slow') return { result: 'delivered', delayMs: slowness(label) };
  const result = SIMULATED_RESULTS.find((candidate) => candidate === name);
  return result ? { result, delayMs: 0 } : null;
}

export const sandboxResultRule: Rule = (value) =>
  typeof value === 'string' && simulationNamed(value) !== null && !isSlowWithoutSeconds(value)
    ? []
    : [
        {
          path: '',
          code: 'unknown_result',
          message: `must be one of ${SIMULATED_RESULTS.join(', ')}, ooto, slow+N (N seconds, at most ${SLOWEST_SECONDS})`,
        },
      ];

/**
 * What happens to a recipient instead of delivery, or null when the mail goes out for real. A test mail never goes out:
 * what it asked for counts first, then its address, and any other address just takes it.
 */
export function simulatedOutcome(of: {
  address: string;
  serviceDomain: string;
  test: boolean;
  sandboxResult: string | null;
}): Simulation | null {
  const asked = of.test && of.sandboxResult !== null ? simulationNamed(of.sandboxResult) : null;
  return asked ?? byAddress(of.address, of.serviceDomain) ?? (of.test ? { result: 'delivered', delayMs: 0 } : null);
}

/** What is simulated puts nobody on a list (D-50, D-66). */
export const isSimulated = ({ test }: { test: boolean }, address: string, config: Config): boolean =>
  simulatedOutcome({ address, serviceDomain: config.settings.SERVICE_DOMAIN, test, sandboxResult: null }) !== null;

function byAddress(written: string, serviceDomain: string): Simulation | null {
  const address = normaliseAddress(written);
  const local = address.slice(0, address.lastIndexOf('@'));
  switch (domainOf(address)) {
    case `sim.${serviceDomain.toLowerCase()}`:
      // Nobody else lives at our own simulator: a slip of the pen must not become a question to DNS.
      return simulationNamed(local) ?? { result: 'bounced', delayMs: 0 };
    case 'resend.dev':
      return simulationNamed(local);
    case 'simulator.amazonses.com': {
      const result = Object.hasOwn(SES_NAMES, local.split('+', 1)[0]) ? SES_NAMES[local.split('+', 1)[0]] : null;
      return result ? { result, delayMs: 0 } : null;
    }
    default:
      return null;
  }
}

/** An address is lenient about its label; a field says what it means. */
const isSlowWithoutSeconds = (value: string): boolean =>
  /^slow/i.test(value) && (!/^slow\+\d{1,2}$/i.test(value) || Number(value.slice('slow+'.length)) > SLOWEST_SECONDS);

/** Milliseconds; none without a number. */
function slowness(label: string | undefined): number {
  const seconds = /^\d{1,6}$/.test(label ?? '') ? Number(label) : 0;
  return Math.min(seconds, SLOWEST_SECONDS) * 1_000;
}
