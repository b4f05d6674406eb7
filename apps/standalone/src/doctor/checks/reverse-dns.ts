import type { SourceAddress } from '#libs/mta';
import type { Check } from '../check.js';
import { error, ok, skipped, unanswered, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';
import { reverseName } from '#libs/mta';
import { isSameAddress } from '../same-address.js';

/** The large providers refuse mail from addresses whose names do not lead both ways (FCrDNS). */
export const reverseDnsCheck: Check = {
  name: 'ptr',
  title: 'Reverse DNS',
  asks: 'Does each source address have a name that leads back to it, and is it the one we greet with?',
  isOfDelivery: true,
  look: async (patient) => {
    const { known, addresses } = await patient.sources();
    if (known === 'smarthost' || addresses.length === 0)
      return [skipped({ subject: 'source addresses', message: 'There is none of ours to look at.' })];
    return (await Promise.all(addresses.map((source) => lookAt(patient, source)))).flat();
  },
};

async function lookAt(patient: Patient, source: SourceAddress): Promise<Remark[]> {
  const { address, heloName } = source;
  const answer = await patient.dns.names(address);
  if (answer.kind === 'no_answer') return [unanswered(address, answer.reason)];
  if (answer.kind === 'none') return [withoutName(source)];
  const names = answer.values;
  const back = await Promise.all(names.map(async (name) => leadsTo(patient, name, address)));
  const confirmed = names.filter((_, i) => back[i] === 'yes');
  if (confirmed.length === 0 && back.includes('unknown')) return [unanswered(address, 'where its name leads')];
  const remarks = [judgeNames(source, names, confirmed)];
  if (names.length > 1)
    remarks.push(
      warning({
        subject: address,
        message: `It has ${names.length} PTR records (${names.join(', ')}); receivers pick any of them.`,
        fix: `Keep one: ${ptrLine(source)}`,
        facts: { names },
      }),
    );
  return heloName === confirmed.at(0) ? remarks : [...remarks, ...(await judgeHelo(patient, source))];
}

function judgeNames(source: SourceAddress, names: readonly string[], confirmed: readonly string[]): Remark {
  const { address, heloName } = source;
  const facts = { names, helo: heloName };
  if (confirmed.length === 0)
    return error({
      subject: address,
      message: `Its name ${names[0]} does not lead back to it, so receivers take the name for forged and refuse mail.`,
      fix: `${names[0]}. ${address.includes(':') ? 'AAAA' : 'A'} ${address}`,
      facts,
    });
  if (confirmed.includes(heloName))
    return ok({ subject: address, message: `Its name is ${heloName}, and leads back.`, facts });
  return warning({
    subject: address,
    message: `Its name is ${confirmed[0]}, but we greet with ${heloName}. A provider's standard name is what home computers and spam senders have.`,
    fix: `${ptrLine(source)}\nor, to greet with that name: "helo": "${confirmed[0]}" for this address in SHAPING_FILE`,
    facts,
  });
}

function withoutName(source: SourceAddress): Remark {
  const onlyV4 = source.address.includes(':')
    ? '\nIf that cannot be had for IPv6, name only IPv4 addresses in "sources" of SHAPING_FILE.'
    : '';
  return error({
    subject: source.address,
    message: 'It has no PTR record. The large providers refuse mail from there outright.',
    fix: `${ptrLine(source)}\nin the reverse zone, which belongs to whoever gave you the address ("reverse DNS" in most panels).${onlyV4}`,
  });
}

/** The greeting must name a host that exists (RFC 5321 §4.1.4); receivers that check it refuse otherwise. */
async function judgeHelo({ dns }: Patient, { address, heloName }: SourceAddress): Promise<Remark[]> {
  const answer = await dns.addresses(heloName);
  if (
    answer.kind === 'no_answer' ||
    (answer.kind === 'found' && answer.values.some((found) => isSameAddress(found, address)))
  )
    return [];
  const type = address.includes(':') ? 'AAAA' : 'A';
  const where = answer.kind === 'none' ? 'does not exist' : `leads to ${answer.values.join(', ')}`;
  return [
    warning({
      subject: heloName,
      message: `We greet with this name when we speak from ${address}, but it ${where}.`,
      fix: `${heloName}. ${type} ${address}`,
    }),
  ];
}

async function leadsTo({ dns }: Patient, name: string, address: string): Promise<'yes' | 'no' | 'unknown'> {
  const answer = await dns.addresses(name);
  if (answer.kind === 'no_answer') return 'unknown';
  return answer.kind === 'found' && answer.values.some((found) => isSameAddress(found, address)) ? 'yes' : 'no';
}

const ptrLine = ({ address, heloName }: SourceAddress): string => `${reverseName(address)}. PTR ${heloName}.`;
