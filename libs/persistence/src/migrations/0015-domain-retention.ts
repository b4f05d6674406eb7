/** Columns of `libs/domains` for periods that are shorter than those of the service, and how far `libs/emails` has applied them. */
export const DOMAIN_RETENTION = {
  name: 'DomainRetention1700000000015',
  statements: [
    // In days; NULL: the period of the service.
    `ALTER TABLE domains
       ADD body_retention_days smallint CHECK (body_retention_days > 0),
       ADD captured_retention_days smallint CHECK (captured_retention_days > 0)`,
    `-- contents_until: the content of the domain's messages below this id is deleted.
     CREATE TABLE domain_retention (
       domain_id text COLLATE "C" PRIMARY KEY,
       contents_until text COLLATE "C" NOT NULL
     )`,
  ],
};
