import { isPublicAddress } from '#libs/kernel';
import { error, ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import { DNSBLS, type Dnsbl } from '../../probes/dnsbl-list.js';
import { queryDnsbl, testDnsbl, type DnsblAnswer } from '../../probes/dnsbl-query.js';

const USE_OWN_RESOLVER = 'Use a resolver of your own (apt-get install unbound): DNS_SERVERS=127.0.0.1';

/** Most receivers refuse mail from addresses on one of the large lists. */
export const blockListsCheck: Check = {
  name: 'block-lists',
  title: 'Block lists',
  isAboutDelivery: true,
  run: async (context) => {
    const subjects = await subjectsOf(context);
    const lists = DNSBLS.filter((list) => subjects[list.lists].length > 0);
    if (lists.length === 0)
      return [
        skipped({ subject: 'source addresses', message: 'Neither a public address nor the service domain is known.' }),
      ];
    return (await Promise.all(lists.map((list) => checkList(context, list, subjects[list.lists])))).flat();
  },
};

async function subjectsOf(context: CheckContext): Promise<Record<Dnsbl['lists'], string[]>> {
  const { addresses } = await context.sourceAddresses();
  const { ALLOW_PRIVATE_MX } = context.config.settings;
  return {
    addresses: addresses
      .map(({ address }) => address)
      .filter((address) => ALLOW_PRIVATE_MX || isPublicAddress(address)),
    domains: context.skipsServiceDns ? [] : [context.serviceDomain],
  };
}

async function checkList({ dns }: CheckContext, list: Dnsbl, subjects: readonly string[]): Promise<Result[]> {
  const query = (name: string) => dns.addresses(name);
  const problem = await testDnsbl(list, query);
  if (problem !== null)
    return [
      skipped({ subject: list.name, message: `It cannot be queried from here: ${problem}.`, fix: USE_OWN_RESOLVER }),
    ];
  const supported = subjects.filter((subject) => list.supportsIpv6 || !subject.includes(':'));
  return Promise.all(supported.map(async (subject) => resultOf(list, subject, await queryDnsbl(list, subject, query))));
}

function resultOf(list: Dnsbl, subject: string, answer: DnsblAnswer): Result {
  switch (answer.kind) {
    case 'clean':
      return ok({ subject, message: `${list.name} does not list it.`, facts: { list: list.zone } });
    case 'unusable':
      return skipped({ subject, message: `${list.name} did not answer: ${answer.reason}.`, fix: USE_OWN_RESOLVER });
    case 'listed':
      return listedOn(list, subject, answer.codes);
  }
}

function listedOn(list: Dnsbl, subject: string, codes: readonly string[]): Result {
  const meanings = codes.map((code) => list.meanings?.[code]).filter((text) => text !== undefined);
  const meaning = meanings.length === 0 ? '' : ` (${meanings.join('; ')})`;
  const details = {
    subject,
    message: `${list.name} lists it${meaning}.`,
    fix: `Find and remove the cause first, or the entry comes back: ${list.url}`,
    facts: { list: list.zone, codes },
  };
  return list.weight === 'severe' ? error(details) : warning(details);
}
