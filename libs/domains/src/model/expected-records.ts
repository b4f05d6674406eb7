import { dkim } from '#libs/mime';
import { keysIn, type KeyRing, type KeyState, type SigningKey } from '../dkim/key-ring.js';
import { aliasTarget } from '../dkim/selector.js';

type ActiveKeySlot = 'dkim' | 'dkim_ed25519';
/** Identifies the record of a DKIM key among those of a domain. */
export type KeySlot = ActiveKeySlot | `${ActiveKeySlot}_${'next' | 'retired'}`;
/** Identifies a record among those of a domain. */
export type Slot = 'spf' | 'dmarc' | 'return_path' | 'tracking' | 'tls_rpt' | KeySlot;

/** A domain becomes active when all of these are verified. */
export const REQUIRED_SLOTS: readonly Slot[] = ['spf', 'dkim', 'dmarc'];

export const RECORD_KINDS = ['SPF', 'DKIM', 'DMARC', 'Return-Path', 'Tracking', 'TLS-RPT'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** A DNS record that the owner of a domain should publish. */
export interface ExpectedRecord {
  slot: Slot;
  record: RecordKind;
  type: 'TXT' | 'CNAME';
  name: string;
  value: string;
  /** For a DKIM record. */
  dkim?: {
    key: SigningKey;
    /** The target of an alias (CNAME) that may replace the record. */
    alias: string;
  };
}

export interface DomainWithKeys {
  id: string;
  name: string;
  keys: KeyRing;
}

export function slotOf({ algorithm, state }: Pick<SigningKey, 'algorithm' | 'state'>): KeySlot {
  const slot = algorithm === 'rsa' ? 'dkim' : 'dkim_ed25519';
  return state === 'active' ? slot : `${slot}_${state}`;
}

/** The records of a domain, the required ones first (docs/decisions/021). */
export function expectedRecords(domain: DomainWithKeys, service: string): ExpectedRecord[] {
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

function keyRecord({ id, name }: DomainWithKeys, key: SigningKey, service: string): ExpectedRecord {
  return {
    slot: slotOf(key),
    record: 'DKIM',
    type: 'TXT',
    name: `${key.selector}._domainkey.${name}`,
    value: dkim.recordValue(`${key.algorithm}-sha256`, key.publicKey),
    dkim: { key, alias: aliasTarget(id, key.selector, service) },
  };
}
