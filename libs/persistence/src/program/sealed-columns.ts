/** SQL of the context in which a replaced master key is sealed. */
export const RETIRED_CONTEXT = `'retired master key ' || encode(key_check, 'hex')`;

interface SealedColumn {
  table: string;
  column: string;
  /** The primary key, of type text or bytea. */
  key: readonly string[];
  /** SQL of the context that the ciphertext is bound to. */
  context: string;
}

/** Every column that `SecretBox` has sealed. A rotation of the master key seals them anew. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'retired_master_keys', column: 'sealed', key: ['key_check'], context: RETIRED_CONTEXT },
  { table: 'domain_keys', column: 'private_sealed', key: ['domain_id', 'id'], context: `domain_id || ':' || id` },
  { table: 'webhooks', column: 'secret_sealed', key: ['id'], context: 'id' },
  { table: 'webhooks', column: 'previous_secret_sealed', key: ['id'], context: `id || ' previous'` },
  { table: 'acme_accounts', column: 'key_sealed', key: ['directory'], context: `'acme account ' || directory` },
  { table: 'certificates', column: 'key_sealed', key: ['host'], context: `'certificate ' || host` },
  { table: 'erasures', column: 'sealed', key: ['id'], context: 'id' },
];
