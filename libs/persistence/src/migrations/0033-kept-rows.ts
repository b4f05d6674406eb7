/** The trigger with which `libs/persistence` keeps rows whose partition is about to be dropped. */
export const KEPT_ROWS = {
  name: 'KeptRows1700000000033',
  statements: [
    // Arguments: the table of the kept rows, the columns of its primary key, and all columns. A change of the partition
    // after a row was copied is applied to the copy in the same transaction.
    `CREATE FUNCTION mirror_kept_rows() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF TG_OP <> 'INSERT' THEN
         EXECUTE format('DELETE FROM %I WHERE (%s) = (SELECT %s FROM (SELECT ($1).*) AS old)', TG_ARGV[0], TG_ARGV[1], TG_ARGV[1])
           USING OLD;
       END IF;
       IF TG_OP <> 'DELETE' THEN
         EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM (SELECT ($1).*) AS new', TG_ARGV[0], TG_ARGV[2], TG_ARGV[2])
           USING NEW;
       END IF;
       RETURN NULL;
     END $$`,
  ],
};
