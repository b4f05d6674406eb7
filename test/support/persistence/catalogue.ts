import type { Database } from '#libs/persistence';

/** Description of each object of the schema `public`, by its identity. The order of columns in a table is left out. */
export type Catalogue = Record<string, string>;

const IN_PUBLIC = `n.nspname = 'public'`;
/** A tuple as text, so that NULL and an empty string differ. */
const text = (...columns: string[]): string => `ROW(${columns.join(', ')})::text`;

/** Each query returns the kind, the identity and the description of one sort of object. */
const QUERIES = [
  // Tables, indexes, views, sequences and composite types with storage parameters, also of their TOAST tables.
  `SELECT 'relation', c.oid::regclass::text,
          ${text('c.relkind', 'c.relpersistence', 'c.reloptions', 't.reloptions', 'a.amname', 'c.relrowsecurity', 'c.relforcerowsecurity', 'c.relreplident', 'c.relacl', 'pg_get_userbyid(c.relowner)')}
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_class t ON t.oid = c.reltoastrelid LEFT JOIN pg_am a ON a.oid = c.relam WHERE ${IN_PUBLIC}`,
  `SELECT 'column', c.oid::regclass || '.' || a.attname,
          ${text('format_type(a.atttypid, a.atttypmod)', 'a.attnotnull', 'pg_get_expr(d.adbin, d.adrelid)', 'a.attidentity', 'a.attgenerated', 'a.attstorage', 'a.attcompression', 'l.collname', 'a.attstattarget', 'a.attacl', 'a.attoptions')}
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum LEFT JOIN pg_collation l ON l.oid = a.attcollation
    WHERE ${IN_PUBLIC} AND a.attnum > 0 AND NOT a.attisdropped`,
  `SELECT 'constraint', conrelid::regclass || '.' || conname,
          ${text('contype', 'pg_get_constraintdef(k.oid)', 'condeferrable', 'condeferred', 'convalidated', 'conislocal')}
     FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace WHERE ${IN_PUBLIC}`,
  `SELECT 'index', indexrelid::regclass::text, ${text('pg_get_indexdef(indexrelid)', 'indisvalid', 'indisclustered', 'indisreplident')}
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${IN_PUBLIC}`,
  `SELECT 'view', c.oid::regclass::text, pg_get_viewdef(c.oid)
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${IN_PUBLIC} AND c.relkind IN ('v', 'm')`,
  `SELECT 'rule', r.ev_class::regclass || '.' || r.rulename, pg_get_ruledef(r.oid)
     FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${IN_PUBLIC}`,
  `SELECT 'sequence', s.seqrelid::regclass::text,
          ${text('format_type(s.seqtypid, NULL)', 'seqstart', 'seqincrement', 'seqmax', 'seqmin', 'seqcache', 'seqcycle', `(SELECT refobjid::regclass || '.' || a.attname FROM pg_depend d JOIN pg_attribute a ON a.attrelid = refobjid AND a.attnum = refobjsubid WHERE d.objid = s.seqrelid AND d.deptype IN ('a', 'i'))`)}
     FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${IN_PUBLIC}`,
  `SELECT 'function', p.oid::regprocedure::text, ${text(`CASE WHEN prokind IN ('f', 'p') THEN pg_get_functiondef(p.oid) END`, 'prokind', 'proacl')}
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE ${IN_PUBLIC}`,
  `SELECT 'trigger', tgrelid::regclass || '.' || tgname, ${text('pg_get_triggerdef(t.oid)', 'tgenabled')}
     FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE ${IN_PUBLIC} AND NOT tgisinternal`,
  `SELECT 'policy', polrelid::regclass || '.' || polname,
          ${text('polcmd', 'polpermissive', 'polroles::regrole[]', 'pg_get_expr(polqual, polrelid)', 'pg_get_expr(polwithcheck, polrelid)')}
     FROM pg_policy p JOIN pg_class c ON c.oid = polrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${IN_PUBLIC}`,
  `SELECT 'statistics', stxrelid::regclass || '.' || stxname, ${text('pg_get_statisticsobjdef(s.oid)')}
     FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace WHERE ${IN_PUBLIC}`,
  `SELECT 'type', format_type(t.oid, NULL),
          ${text('typtype', 'typnotnull', 'typdefault', 'typacl', 'ARRAY(SELECT enumlabel FROM pg_enum WHERE enumtypid = t.oid ORDER BY enumsortorder)')}
     FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE ${IN_PUBLIC} AND typtype IN ('d', 'e', 'r', 'm')`,
  `SELECT 'comment', i.type || ' ' || i.identity, d.description
     FROM pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) AS i
    WHERE i.schema = 'public' OR i.identity LIKE 'public.%'`,
  `SELECT 'extension', extname, extversion FROM pg_extension`,
  `SELECT 'event trigger', evtname, ${text('evtevent', 'evtenabled', 'evttags')} FROM pg_event_trigger`,
  `SELECT 'schema', nspname, ${text('nspacl', 'pg_get_userbyid(nspowner)')} FROM pg_namespace
    WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`,
  `SELECT 'default privileges', ${text('pg_get_userbyid(defaclrole)', 'defaclnamespace::regnamespace', 'defaclobjtype')}, defaclacl::text
     FROM pg_default_acl`,
];

/** Reads the catalogue of the database, in the order of the identities. */
export async function catalogueOf(database: Pick<Database, 'query'>): Promise<Catalogue> {
  const entries: [string, string][] = [];
  for (const query of QUERIES) {
    const { rows } = await database.query<{ kind: string; identity: string; description: string }>(
      `SELECT kind, identity, description FROM (${query}) AS objects (kind, identity, description)`,
    );
    for (const { kind, identity, description } of rows) entries.push([`${kind} ${identity}`, description]);
  }
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
