/** A column of `domains`. */
export const SERVICE_DOMAIN = {
  name: 'ServiceDomain1700000000024',
  statements: [
    `-- The service added the entry for its own mail; lists do not show it.
     ALTER TABLE domains ADD COLUMN is_of_service boolean NOT NULL DEFAULT false`,
  ],
};
