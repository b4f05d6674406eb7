import type { Check } from '../check.js';
import { nameServersCheck } from './dns/name-servers.js';
import { reverseDnsCheck } from './dns/reverse-dns.js';
import { sendingDomainsCheck } from './dns/sending-domains.js';
import { serviceRecordsCheck } from './dns/service-records.js';
import { spfCheck } from './dns/spf.js';
import { certificatesCheck } from './host/certificates.js';
import { clockCheck } from './host/clock.js';
import { diskCheck } from './host/disk.js';
import { enginesCheck } from './host/engines.js';
import { outboundHttpsCheck } from './host/outbound-https.js';
import { serviceCheck } from './host/service.js';
import { settingsCheck } from './host/settings.js';
import { blockListsCheck } from './mail/block-lists.js';
import { inboundSmtpCheck } from './mail/inbound-smtp.js';
import { outboundSmtpCheck } from './mail/outbound-smtp.js';
import { sourceAddressesCheck } from './mail/source-addresses.js';

/** In the order of the report: a check comes after those that it depends on. */
export const CHECKS: readonly Check[] = [
  settingsCheck,
  nameServersCheck,
  sourceAddressesCheck,
  reverseDnsCheck,
  serviceRecordsCheck,
  spfCheck,
  outboundSmtpCheck,
  outboundHttpsCheck,
  inboundSmtpCheck,
  blockListsCheck,
  sendingDomainsCheck,
  certificatesCheck,
  clockCheck,
  diskCheck,
  enginesCheck,
  serviceCheck,
];
