export { SuppressionEntity, SUPPRESSION_ORIGINS, type SuppressionOrigin } from './suppression.entity.js';
export type { NewSuppression } from './new-suppression.js';
export type { SuppressionEvidence } from './suppression-evidence.js';
export { SuppressionList } from './suppression-list.js';
export { SuppressionsModule } from './suppressions.module.js';
