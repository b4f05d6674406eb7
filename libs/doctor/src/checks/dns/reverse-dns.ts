import { reversed } from '#libs/dns';
import type { SourceAddress } from '#libs/mta';
import { addressRecords, isSameAddress } from '../../addresses.js';
import { error, ok, skipped, unanswered, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

/** Large providers refuse mail from addresses without forward-confirmed reverse DNS (FCrDNS). */
export const reverseDnsCheck: Check = {
  name: 'ptr',
  title: 'Reverse DNS',
  isAboutDelivery: true,
  run: async (context) => {
    const { origin, addresses } = await context.sourceAddresses();
    if (origin === 'smarthost' || addresses.length === 0)
      return [skipped({ subject: 'source addresses', message: 'No source address is known.' })];
    return (await Promise.all(addresses.map((source) => checkAddress(context, source)))).flat();
  },
};

async function checkAddress(context: CheckContext, source: SourceAddress): Promise<Result[]> {
  const { address, heloName } = source;
  const answer = await context.dns.names(address);
  if (answer.kind === 'no_answer') return [unanswered(address, answer.reason)];
  if (answer.kind === 'none') return [withoutPtr(source)];
  const names = answer.values;
  const isConfirmed = await Promise.all(names.map((name) => resolvesTo(context, name, address)));
  const confirmed = names.filter((_, i) => isConfirmed[i] === 'yes');
  if (confirmed.length === 0 && isConfirmed.includes('unknown'))
    return [unanswered(address, 'the addresses of its name')];
  const results = [checkNames(source, names, confirmed)];
  if (names.length > 1)
    results.push(
      warning({
        subject: address,
        message: `It has ${names.length} PTR records (${names.join(', ')}); receivers pick any of them.`,
        fix: `Keep one: ${ptrRecord(source)}`,
        facts: { names },
      }),
    );
  return heloName === confirmed.at(0) ? results : [...results, ...(await checkHeloName(context, source))];
}

function checkNames(source: SourceAddress, names: readonly string[], confirmed: readonly string[]): Result {
  const { address, heloName } = source;
  const facts = { names, helo: heloName };
  if (confirmed.length === 0)
    return error({
      subject: address,
      message: `Its name ${names[0]} does not lead back to it, so receivers consider the name forged and refuse mail.`,
      fix: addressRecords(names[0], [address]),
      facts,
    });
  if (confirmed.includes(heloName))
    return ok({ subject: address, message: `Its name is ${heloName}, and leads back.`, facts });
  return warning({
    subject: address,
    message: `Its name is ${confirmed[0]}, but we greet with ${heloName}. Home connections and spam senders have a provider's standard name.`,
    fix: `${ptrRecord(source)}\nor, to greet with that name: "helo": "${confirmed[0]}" for this address in SHAPING_FILE`,
    facts,
  });
}

function withoutPtr(source: SourceAddress): Result {
  const onlyV4 = source.address.includes(':')
    ? '\nIf that is not possible for IPv6, name only IPv4 addresses in "sources" of SHAPING_FILE.'
    : '';
  return error({
    subject: source.address,
    message: 'It has no PTR record. The large providers refuse mail from there outright.',
    fix: `${ptrRecord(source)}\nin the reverse zone, which belongs to whoever gave you the address ("reverse DNS" in most panels).${onlyV4}`,
  });
}

/** The name in EHLO must exist (RFC 5321 §4.1.4); some receivers check that it has the address. */
async function checkHeloName({ dns }: CheckContext, { address, heloName }: SourceAddress): Promise<Result[]> {
  const answer = await dns.addresses(heloName);
  if (
    answer.kind === 'no_answer' ||
    (answer.kind === 'found' && answer.values.some((found) => isSameAddress(found, address)))
  )
    return [];
  const fact = answer.kind === 'none' ? 'does not exist' : `has the address ${answer.values.join(', ')}`;
  return [
    warning({
      subject: heloName,
      message: `We greet with this name when we connect from ${address}, but it ${fact}.`,
      fix: addressRecords(heloName, [address]),
    }),
  ];
}

async function resolvesTo({ dns }: CheckContext, name: string, address: string): Promise<'yes' | 'no' | 'unknown'> {
  const answer = await dns.addresses(name);
  if (answer.kind === 'no_answer') return 'unknown';
  return answer.kind === 'found' && answer.values.some((found) => isSameAddress(found, address)) ? 'yes' : 'no';
}

const ptrRecord = ({ address, heloName }: SourceAddress): string => `${reversed.name(address)}. PTR ${heloName}.`;
