import { foreignSources, shapingPlan } from '#libs/emails';
import { isPublicAddress } from '#libs/kernel';
import type { Check } from '../check.js';
import { error, ok, skipped, unanswered, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';
import type { Sources } from '../sources.js';

/** Everything that receivers think of us they think of these addresses. */
export const sourceAddressesCheck: Check = {
  name: 'addresses',
  title: 'Source addresses',
  asks: 'Which addresses does mail leave from, and can this machine speak from them?',
  isOfDelivery: true,
  look: async (patient) => {
    const sources = await patient.sources();
    switch (sources.known) {
      case 'smarthost':
        return [
          skipped({
            subject: 'smarthost',
            message: 'The smarthost speaks to receivers; its addresses count, not ours.',
          }),
        ];
      case 'pools':
        return judgePools(patient, sources);
      case 'route':
        return [
          ok({ subject: listed(sources), message: 'Mail leaves from here: the way out of this machine begins there.' }),
        ];
      case 'records':
        return [judgeRecords(patient, sources)];
    }
  },
};

async function judgePools({ config }: Patient, { addresses }: Sources): Promise<Remark[]> {
  const foreign = await foreignSources(shapingPlan(config));
  return addresses.map(({ address, heloName }) => {
    const facts = { helo: heloName };
    if (foreign.includes(address))
      return error({
        subject: address,
        message:
          'SHAPING_FILE names it as a source, but this machine does not have it: every connection from there fails.',
        fix: `ip address add ${address}/${address.includes(':') ? 64 : 32} dev <interface>, or take it out of "sources" in ${config.settings.SHAPING_FILE}`,
        facts,
      });
    if (!isPublicAddress(address) && !config.settings.ALLOW_PRIVATE_MX)
      return warning({
        subject: address,
        message:
          'This source is a private address: receivers see what it is translated to, which cannot be known from here.',
        fix: 'Look at the first Received line of a mail that arrived elsewhere, and see to the PTR record and SPF of that address.',
        facts,
      });
    return ok({ subject: address, message: `Mail leaves from here as ${heloName} (SHAPING_FILE).`, facts });
  });
}

function judgeRecords({ isUnnamed, hostName, service }: Patient, sources: Sources): Remark {
  const hidden = sources.local.filter((address) => !isPublicAddress(address)).join(', ');
  const facts = { local: sources.local };
  const unknown =
    hidden === ''
      ? 'No way out was found.'
      : `Mail leaves from the private ${hidden}: what receivers see instead cannot be known from here.`;
  if (isUnnamed) return skipped({ subject: 'this machine', message: unknown, facts });
  if (sources.addresses.length === 0 && sources.unanswered !== null)
    return unanswered('this machine', sources.unanswered);
  if (sources.addresses.length > 0)
    return ok({
      subject: listed(sources),
      message: `${unknown} Looked at instead: what DNS says of ${hostName} and spf.${service}.`,
      facts,
    });
  return error({
    subject: 'this machine',
    message: `${unknown} Neither ${hostName} nor spf.${service} names an address.`,
    fix: `${hostName}. A <the address that the world sees>`,
    facts,
  });
}

const listed = ({ addresses }: Sources): string => addresses.map(({ address }) => address).join(', ');
