export { SuppressionEntity, SUPPRESSION_ORIGINS, type SuppressionOrigin } from './suppression.entity.js';
export { SuppressionList, type NewSuppression } from './suppression-list.js';
export { SuppressionsModule } from './suppressions.module.js';
