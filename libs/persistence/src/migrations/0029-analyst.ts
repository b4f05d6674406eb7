/** The role `analyst`. */
export const ANALYST = {
  name: 'Analyst1700000000029',
  statements: ['memberships', 'invitations'].map(
    (table) =>
      `ALTER TABLE ${table} DROP CONSTRAINT ${table}_role_check,
         ADD CONSTRAINT ${table}_role_check CHECK (role IN ('owner', 'admin', 'developer', 'viewer', 'analyst'))`,
  ),
};
