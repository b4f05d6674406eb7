import { dkimRecordValue } from '#libs/mime';
import { keysIn, type KeyRing, type KeyState, type SigningKey } from './dkim/key-ring.js';
import { aliasTarget } from './dkim/selector.js';

type ActiveKeySlot = 'dkim' | 'dkim_ed25519';
/** The place of a DKIM key among the records of a domain. */
export type KeySlot = ActiveKeySlot | `${ActiveKeySlot}_${'next' | 'retired'}`;
/** The place of a record among those of a domain. */
export type Slot = 'spf' | 'dmarc' | 'return_path' | 'tracking' | 'tls_rpt' | KeySlot;

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
  /** Of a DKIM record. */
  dkim?: {
    key: SigningKey;
    /** Where an alias (CNAME) may lead instead. */
    alias: string;
  };
}

/** What the records of a domain are made of. */
export interface RecordsOf {
  id: string;
  name: string;
  keys: KeyRing;
}

export function slotOf({ algorithm, state }: Pick<SigningKey, 'algorithm' | 'state'>): KeySlot {
  const slot = algorithm === 'rsa' ? 'dkim' : 'dkim_ed25519';
  return state === 'active' ? slot : `${slot}_${state}`;
}

/** The records of a domain (D-44): the required first. */
export function expectedRecords(domain: RecordsOf, service: string): ExpectedRecord[] {
  const { name } = domain;
  const keys = (state: KeyState) => keysIn(domain.keys, state).map((key) => keyRecord(domain, key, service));
  const active = keys('active');
  return [
    { slot: 'spf', record: 'SPF', type: 'TXT', name, value: `v=spf1 include:spf.${service} ~all` },
    ...active.filter(({ slot }) => slot === 'dkim'),
    {
      slot: 'dmarc',
      record: 'DMARC',
      type: 'TXT',
      name: `_dmarc.${name}`,
      value: `v=DMARC1; p=none; rua=mailto:dmarc@${service}`,
    },
    ...active.filter(({ slot }) => slot !== 'dkim'),
    ...keys('next'),
    ...keys('retired'),
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

function keyRecord({ id, name }: RecordsOf, key: SigningKey, service: string): ExpectedRecord {
  return {
    slot: slotOf(key),
    record: 'DKIM',
    type: 'TXT',
    name: `${key.selector}._domainkey.${name}`,
    value: dkimRecordValue(`${key.algorithm}-sha256`, key.publicKey),
    dkim: { key, alias: aliasTarget(id, key.selector, service) },
  };
}
