import { domainName } from '#libs/domains';
import { CHECKS, reportText, runChecks, type Check } from '#libs/doctor';
import { UsageError, type Command, type CommandInput } from './command.js';
import { checkedOption, listOption } from './option-checks.js';

const CHECK_NAMES = CHECKS.map(({ name }) => name).join(', ');

const doctor: Command = {
  name: 'doctor',
  positionals: [],
  options: { only: { type: 'string' }, domain: { type: 'string' } },
  synopsis: '[--only <check,…>] [--domain D]',
  summary: `Checks whether mail will arrive and says how to correct what is wrong (docs/doctor.md); --domain also checks a customer's domain. Checks: ${CHECK_NAMES}.`,
  prepareWithSettings: (input) => {
    const checks = selectedChecks(input);
    const domain = requestedDomain(input);
    if (domain !== null && !checks.some(({ takesDomain }) => takesDomain))
      throw new UsageError('--domain is looked at by the check "domains", which --only leaves out.');
    return async (config) => {
      const run = await runChecks({ config, checks, domain });
      const { results } = run;
      const isOk = results.every(({ status }) => status !== 'error');
      return {
        json: { ok: isOk, checks: results },
        text: reportText(results, { checks, isTerminal: process.stdout.isTTY }),
        failed: !isOk,
        close: () => run.close(),
      };
    };
  },
};

export const DOCTOR_COMMANDS: readonly Command[] = [doctor];

function selectedChecks(input: CommandInput): readonly Check[] {
  const names = listOption(input, 'only');
  const unknown = names?.find((name) => !CHECKS.some((check) => check.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no check "${unknown}"; --only takes ${CHECK_NAMES}.`);
  return names === undefined ? CHECKS : CHECKS.filter(({ name }) => names.includes(name));
}

function requestedDomain({ options: { domain } }: CommandInput): string | null {
  checkedOption('domain', domain, domainName.rule);
  return typeof domain === 'string' ? domainName.normalise(domain) : null;
}
