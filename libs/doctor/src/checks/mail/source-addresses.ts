import { isPublicAddress } from '#libs/kernel';
import { foreignSources, throttlingPlan } from '#libs/queue';
import { error, ok, skipped, unanswered, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import type { SourceAddresses } from '../../probes/source-addresses.js';

/** The reputation of our mail at receivers depends on these addresses. */
export const sourceAddressesCheck: Check = {
  name: 'addresses',
  title: 'Source addresses',
  isAboutDelivery: true,
  run: async (context) => {
    const sources = await context.sourceAddresses();
    switch (sources.origin) {
      case 'smarthost':
        return [
          skipped({
            subject: 'smarthost',
            message: 'Mail leaves through the smarthost, so receivers see its addresses.',
          }),
        ];
      case 'pools':
        return checkPools(context, sources.addresses);
      case 'route':
        return [
          ok({ subject: list(sources), message: 'Mail leaves from here, as the routes of this machine say.' }),
          ...(await checkPenaltyPool(context, sources)),
        ];
      case 'records':
        return [checkRecords(context, sources), ...(await checkPenaltyPool(context, sources))];
    }
  },
};

/** Where the system chooses the ordinary address. */
async function checkPenaltyPool(context: CheckContext, { local }: SourceAddresses): Promise<Result[]> {
  const addresses = throttlingPlan(context.config).penaltyPool?.sources ?? [];
  const shared = addresses.filter(({ address }) => local.includes(address));
  const results = await checkPools(
    context,
    addresses.filter((source) => !shared.includes(source)),
  );
  return [
    ...shared.map(({ address }) =>
      error({
        subject: address,
        message: 'PENALTY_POOL has it, but the system chooses it for all other mail too.',
        fix: `Take ${address} out of PENALTY_POOL, or name other addresses for ordinary mail in "sources" of SHAPING_FILE.`,
      }),
    ),
    ...results,
  ];
}

async function checkPools({ config }: CheckContext, addresses: SourceAddresses['addresses']): Promise<Result[]> {
  const foreign = await foreignSources(throttlingPlan(config));
  return addresses.map(({ address, heloName }) => {
    const facts = { helo: heloName };
    if (foreign.includes(address))
      return error({
        subject: address,
        message:
          'SHAPING_FILE or PENALTY_POOL names it as a source, but this machine does not have it: every connection from it fails.',
        fix: `ip address add ${address}/${address.includes(':') ? 64 : 32} dev <interface>, or remove it from ${config.settings.SHAPING_FILE ?? 'PENALTY_POOL'}`,
        facts,
      });
    if (!isPublicAddress(address) && !config.settings.ALLOW_PRIVATE_MX)
      return warning({
        subject: address,
        message:
          'This source is a private address. Receivers see the address that it is translated to, which is not known here.',
        fix: 'Find that address in the first Received line of a mail that arrived elsewhere, and check its PTR record and SPF.',
        facts,
      });
    return ok({
      subject: address,
      message: `Mail leaves from here as ${heloName} (SHAPING_FILE or PENALTY_POOL).`,
      facts,
    });
  });
}

function checkRecords({ skipsServiceDns, hostName, serviceDomain }: CheckContext, sources: SourceAddresses): Result {
  const subject = 'this machine';
  const privateAddresses = sources.local.filter((address) => !isPublicAddress(address)).join(', ');
  const facts = { local: sources.local };
  const unknown =
    privateAddresses === ''
      ? 'No route to the internet was found for IPv4, IPv6 or both.'
      : `Mail leaves from the private address ${privateAddresses}; the address that receivers see cannot be known from here.`;
  if (skipsServiceDns) return skipped({ subject, message: unknown, facts });
  if (sources.addresses.length === 0 && sources.unanswered !== null) return unanswered(subject, sources.unanswered);
  if (sources.addresses.length > 0)
    return ok({
      subject: list(sources),
      message: `${unknown} The addresses of ${hostName} and spf.${serviceDomain} in DNS are checked instead.`,
      facts,
    });
  return error({
    subject,
    message: `${unknown} Neither ${hostName} nor spf.${serviceDomain} has an address.`,
    fix: `${hostName}. A <the address that the world sees>`,
    facts,
  });
}

const list = ({ addresses }: SourceAddresses): string => addresses.map(({ address }) => address).join(', ');
