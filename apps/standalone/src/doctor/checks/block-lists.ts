import { isPublicAddress } from '#libs/kernel';
import { BLOCK_LISTS, type BlockList } from '../block-list-catalogue.js';
import { isListed, trialOf } from '../block-list-question.js';
import type { Check } from '../check.js';
import { error, ok, skipped, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';

const OWN_RESOLVER = 'Ask through a resolver of your own (apt-get install unbound): DNS_SERVERS=127.0.0.1';

/** Whoever is on one of the large lists is refused by most receivers. */
export const blockListsCheck: Check = {
  name: 'block-lists',
  title: 'Block lists',
  asks: 'Is a source address or the service domain on a list that receivers ask?',
  isOfDelivery: true,
  look: async (patient) => {
    const subjects = await subjectsOf(patient);
    const asked = BLOCK_LISTS.filter((list) => subjects[list.of].length > 0);
    if (asked.length === 0)
      return [
        skipped({ subject: 'source addresses', message: 'No public address and no domain to ask for is known.' }),
      ];
    return (await Promise.all(asked.map((list) => lookAt(patient, list, subjects[list.of])))).flat();
  },
};

async function subjectsOf(patient: Patient): Promise<Record<BlockList['of'], string[]>> {
  const { addresses } = await patient.sources();
  const all = addresses.map(({ address }) => address);
  const isPrivateWorld = patient.config.settings.ALLOW_PRIVATE_MX;
  return {
    addresses: all.filter((address) => isPrivateWorld || isPublicAddress(address)),
    domains: patient.isUnnamed ? [] : [patient.service],
  };
}

async function lookAt({ dns }: Patient, list: BlockList, subjects: readonly string[]): Promise<Remark[]> {
  const ask = (name: string) => dns.addresses(name);
  const doubt = await trialOf(list, ask);
  if (doubt !== null)
    return [skipped({ subject: list.name, message: `It cannot be asked from here: ${doubt}.`, fix: OWN_RESOLVER })];
  const fitting = subjects.filter((subject) => list.knowsIpv6 || !subject.includes(':'));
  return Promise.all(fitting.map(async (subject) => remarkOn(list, subject, await isListed(list, subject, ask))));
}

function remarkOn(list: BlockList, subject: string, found: Awaited<ReturnType<typeof isListed>>): Remark {
  switch (found.kind) {
    case 'clean':
      return ok({ subject, message: `${list.name} does not list it.`, facts: { list: list.zone } });
    case 'mute':
      return skipped({ subject, message: `${list.name} did not answer: ${found.reason}.`, fix: OWN_RESOLVER });
    case 'listed':
      return listedOn(list, subject, found.codes);
  }
}

function listedOn(list: BlockList, subject: string, codes: readonly string[]): Remark {
  const meanings = codes.map((code) => list.meanings?.[code]).filter((text) => text !== undefined);
  const meaning = meanings.length === 0 ? '' : ` (${meanings.join('; ')})`;
  const told = {
    subject,
    message: `${list.name} lists it${meaning}.`,
    fix: `Find out why first, or it comes back: ${list.page}`,
    facts: { list: list.zone, codes },
  };
  return list.weight === 'severe' ? error(told) : warning(told);
}
