import { domainNameRule, normaliseDomainName } from '#libs/domains';
import { domainsCheck } from '../doctor/checks/domains.js';
import { CHECKS } from '../doctor/checks/index.js';
import type { Check } from '../doctor/check.js';
import { examine } from '../doctor/examine.js';
import { reportText } from '../doctor/report-text.js';
import type { Command, CommandInput } from './command.js';
import { checkedOption, listOption } from './option-checks.js';
import { UsageError } from './usage-error.js';

const doctor: Command = {
  name: 'doctor',
  positionals: [],
  options: { only: { type: 'string' }, domain: { type: 'string' } },
  synopsis: '[--only <check,…>] [--domain D]',
  summary: `Looks whether mail will arrive and says how to mend what is wrong (docs/doctor.md); --domain looks at a customer's domain as well. Checks: ${CHECKS.map(({ name }) => name).join(', ')}.`,
  prepareAlone: (input) => {
    const checks = chosen(input);
    const { domain: written } = input.options;
    checkedOption('domain', written, domainNameRule);
    const domain = typeof written === 'string' ? normaliseDomainName(written) : null;
    if (domain !== null && !checks.includes(domainsCheck))
      throw new UsageError('--domain is looked at by the check "domains", which --only leaves out.');
    return async (config) => {
      const examination = await examine({ config, checks, domain });
      const { findings } = examination;
      const isTerminal = process.stdout.isTTY;
      const isOk = findings.every(({ status }) => status !== 'error');
      return {
        json: { ok: isOk, checks: findings },
        text: reportText(findings, { checks, isTerminal }),
        failed: !isOk,
        close: () => examination.close(),
      };
    };
  },
};

export const DOCTOR_COMMANDS: readonly Command[] = [doctor];

function chosen(input: CommandInput): readonly Check[] {
  const wanted = listOption(input, 'only');
  const unknown = wanted?.find((name) => !CHECKS.some((check) => check.name === name));
  if (unknown !== undefined)
    throw new UsageError(`There is no check "${unknown}"; --only takes ${CHECKS.map(({ name }) => name).join(', ')}.`);
  return wanted === undefined ? CHECKS : CHECKS.filter(({ name }) => wanted.includes(name));
}
