export type { NewSuppression } from './entries/store.js';
export type { RemovalOptions, SuppressionRemoval } from './entries/remove.js';
export { eraseSuppressions } from './entries/erase.js';
export { ErasedAddresses } from './matching/erased-addresses.js';
export { readSuppressionCsv, writeSuppressionCsv, type ReadCsv } from './entries/suppression-csv.js';
export { keepSuppressionsOfDomain, suppressionDomainId, restoreSuppressionsOfDomain } from './domain-lists.js';
export { SuppressionCache } from './matching/suppression-cache.js';
export { SuppressionEntries } from './entries/suppression-entries.js';
export { bulkSuppressions } from './entries/bulk-rules.js';
export { suppressionTarget, type SuppressionTarget } from './entries/field-rules.js';
export {
  suppression,
  suppressionEvidence,
  type SuppressionOrigin,
  type SuppressionView,
} from './suppression.resource.js';
export { SuppressionList } from './matching/suppression-list.js';
export { SuppressionsModule } from './suppressions.module.js';
