import { accountShapes } from '#libs/accounts';
import { AuditEntryDto, AuditLogQuery } from '../../rest/audit-log/audit-log.dto.js';
import { connectionType } from '../connection.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { Json } from '../scalars.js';

const AuditEntryType = objectType(accountShapes.auditEntry.name, AuditEntryDto, {
  description: accountShapes.auditEntry.about,
  fields: { details: { type: Json } },
});
export const AuditEntryConnection = connectionType<AuditEntryDto>(accountShapes.auditEntry.name, AuditEntryType);
export const AuditLogFilter = inputType('AuditLogFilter', AuditLogQuery, {
  description: 'Selects actions. An action must match all given fields.',
  omit: ['limit', 'after', 'before'],
});
