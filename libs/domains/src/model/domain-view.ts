import { toDkimView } from '../dkim/dkim-view.js';
import { domain, type DomainView } from '../domain.resource.js';
import { domainRecords } from './domain-records.js';
import type { DomainRow } from './domain-row.js';

export function toDomainView(
  row: DomainRow,
  { SERVICE_DOMAIN: serviceDomain, REGION: region }: { SERVICE_DOMAIN: string; REGION: string },
): DomainView {
  const [dkim, records] = [toDkimView(row, serviceDomain), domainRecords(row, serviceDomain)];
  return domain.toView(row, { object: 'domain', region, dkim, records });
}
