import { expect, it } from 'vitest';
import { OWN_TABLES } from '../../../libs/persistence/src/migrations/index.js';
import { ACCOUNT_TABLES, OTHER_TABLES } from '../../../libs/backup/src/account-tables.js';

it('decides about every table whether an account owns rows of it', () => {
  const decided = [...Object.keys(ACCOUNT_TABLES), ...Object.keys(OTHER_TABLES)];
  const tables = OWN_TABLES.filter((name) => !name.endsWith('_default'));
  expect(decided.toSorted()).toEqual([...new Set(tables)].toSorted());
});
