import { dkimRecordValue } from '#libs/mime';
import { ed25519Selector } from './selector.js';

/** The place of a record among those of a domain. */
export type Slot = 'spf' | 'dkim' | 'dmarc' | 'dkim_ed25519' | 'return_path' | 'tracking' | 'tls_rpt';

/** A domain may send when all of these are verified. */
export const REQUIRED_SLOTS: readonly Slot[] = ['spf', 'dkim', 'dmarc'];

export type RecordKind = 'SPF' | 'DKIM' | 'DMARC' | 'Return-Path' | 'Tracking' | 'TLS-RPT';

/** A DNS record that the owner of a domain should publish. */
export interface ExpectedRecord {
  slot: Slot;
  record: RecordKind;
  type: 'TXT' | 'CNAME';
  name: string;
  value: string;
}

/** What the records of a domain are made of. */
export interface RecordsOf {
  name: string;
  selector: string;
  rsaPublic: string;
  ed25519Public: string;
}

/** The records of a domain (D-44): the required first. */
export function expectedRecords(
  { name, selector, rsaPublic, ed25519Public }: RecordsOf,
  service: string,
): ExpectedRecord[] {
  return [
    { slot: 'spf', record: 'SPF', type: 'TXT', name, value: `v=spf1 include:spf.${service} ~all` },
    {
      slot: 'dkim',
      record: 'DKIM',
      type: 'TXT',
      name: `${selector}._domainkey.${name}`,
      value: dkimRecordValue('rsa-sha256', rsaPublic),
    },
    {
      slot: 'dmarc',
      record: 'DMARC',
      type: 'TXT',
      name: `_dmarc.${name}`,
      value: `v=DMARC1; p=none; rua=mailto:dmarc@${service}`,
    },
    {
      slot: 'dkim_ed25519',
      record: 'DKIM',
      type: 'TXT',
      name: `${ed25519Selector(selector)}._domainkey.${name}`,
      value: dkimRecordValue('ed25519-sha256', ed25519Public),
    },
    { slot: 'return_path', record: 'Return-Path', type: 'CNAME', name: `bounces.${name}`, value: `bounces.${service}` },
    { slot: 'tracking', record: 'Tracking', type: 'CNAME', name: `track.${name}`, value: `track.${service}` },
    {
      slot: 'tls_rpt',
      record: 'TLS-RPT',
      type: 'TXT',
      name: `_smtp._tls.${name}`,
      value: `v=TLSRPTv1; rua=mailto:tlsrpt@${service}`,
    },
  ];
}
