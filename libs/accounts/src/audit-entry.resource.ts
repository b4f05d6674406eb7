import { fields, formats, resource, type RowOf, type ViewOf } from '#libs/contracts';

/** Also `operator`, for example. */
const NOT_ALWAYS_AN_ID = { pattern: '^.+$' };

export const auditEntry = resource({
  name: 'AuditEntry',
  about: 'An action that must be traceable.',
  table: 'audit_log',
  fields: {
    id: fields.id('aud').stored(),
    object: fields.kind('audit_entry'),
    actor: fields
      .text(
        'The API key or the user of the dashboard who did it; `operator` for the operator of the service',
        formats.exampleId('key'),
        NOT_ALWAYS_AN_ID,
      )
      .stored(),
    action: fields
      .text('The kind of the changed object and the change, separated by a dot', 'suppression.removed')
      .stored(),
    target: fields.text('The id of the changed object', formats.exampleId('sup'), NOT_ALWAYS_AN_ID).stored(),
    details: fields
      .map('Properties of the object that cannot be looked up any more; its fields depend on the action', {
        email: 'user@example.net',
        force: false,
      })
      .stored(),
    ip: fields.text('The IP address of the client; null where there was none', '192.0.2.10').orNull().stored(),
    created_at: fields.time('When it was done').stored(),
  },
  internal: {},
});

export interface AuditEntryView extends ViewOf<typeof auditEntry> {}
export interface AuditRow extends RowOf<typeof auditEntry> {}
