import type { Check } from '../check.js';
import { blockListsCheck } from './block-lists.js';
import { certificatesCheck } from './certificates.js';
import { clockCheck } from './clock.js';
import { diskCheck } from './disk.js';
import { domainsCheck } from './domains.js';
import { enginesCheck } from './engines.js';
import { inboundCheck } from './inbound.js';
import { nameServersCheck } from './name-servers.js';
import { operatorRecordsCheck } from './operator-records.js';
import { outboundCheck } from './outbound.js';
import { reverseDnsCheck } from './reverse-dns.js';
import { serviceCheck } from './service.js';
import { settingsCheck } from './settings.js';
import { sourceAddressesCheck } from './source-addresses.js';
import { spfCheck } from './spf.js';
import { webCheck } from './web.js';

/** In the order of the report: what the rest depends on comes first. */
export const CHECKS: readonly Check[] = [
  settingsCheck,
  nameServersCheck,
  sourceAddressesCheck,
  reverseDnsCheck,
  operatorRecordsCheck,
  spfCheck,
  outboundCheck,
  webCheck,
  inboundCheck,
  blockListsCheck,
  domainsCheck,
  certificatesCheck,
  clockCheck,
  diskCheck,
  enginesCheck,
  serviceCheck,
];
