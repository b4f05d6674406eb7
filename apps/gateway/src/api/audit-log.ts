import { AuditHistory } from '#libs/accounts';
import { AuditEntryConnection, AuditLogFilter } from '../graphql/audit-log/audit-log.type.js';
import { AuditLogList, AuditLogQuery, toAuditFilter } from '../rest/audit-log/audit-log.dto.js';
import { pageRequest } from '../rest/list.dto.js';
import { operation, type OperationGroup } from './operation.js';

const list = operation({
  tag: 'Audit log',
  rest: 'GET /',
  graphql: {
    field: 'Query.auditLog',
    about:
      'Actions that must be traceable, such as the removal of a suppression, the rotation of a DKIM key or a change of a ' +
      'member, newest first. With a selective filter a page may be short or empty although `hasNextPage` is true: continue ' +
      'with `endCursor`.',
    list: {
      connection: AuditEntryConnection,
      filter: { type: AuditLogFilter, about: 'Only actions that match it' },
    },
  },
  scope: 'account.read',
  wholeAccount: true,
  summary: 'List recorded actions',
  description:
    'Actions that must be traceable, such as the removal of a suppression, the rotation of a DKIM key or a change of a ' +
    'member, newest first. With a selective filter a page may be short or empty although `has_more` is true: continue ' +
    'with `next_cursor`.',
  query: AuditLogQuery,
  response: AuditLogList,
  errors: [400],
  uses: [AuditHistory],
  run: ({ caller, query }, history) => history.page(caller.accountId, pageRequest(query, 'aud'), toAuditFilter(query)),
});

/** The recorded changes of an account, with their authors. */
export const AUDIT_LOG: OperationGroup = { name: 'AuditLog', path: 'audit-log', operations: { list } };
