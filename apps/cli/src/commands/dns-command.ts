import { isIP } from 'node:net';
import { serviceZone } from '#libs/doctor';
import { UsageError, type Command, type CommandInput } from './command.js';
import { listOption } from './option-checks.js';

const dns: Command = {
  name: 'dns',
  positionals: [],
  options: { address: { type: 'string' } },
  synopsis: '[--address <ip,…>]',
  summary:
    'Prints the DNS records of SERVICE_DOMAIN as lines of a zone file (docs/operator-dns.md); --address names the public addresses if this machine does not have them.',
  prepareWithSettings: (input) => {
    const addresses = addressOption(input);
    return async (config) => {
      const zone = await serviceZone(config, addresses);
      return { json: zone, text: zone.text };
    };
  },
};

export const DNS_COMMANDS: readonly Command[] = [dns];

/** @throws UsageError */
function addressOption(input: CommandInput): string[] | undefined {
  const addresses = listOption(input, 'address');
  const wrong = addresses?.find((address) => isIP(address) === 0);
  if (wrong !== undefined)
    throw new UsageError(`--address takes IP addresses, separated by commas; "${wrong}" is none.`);
  return addresses;
}
