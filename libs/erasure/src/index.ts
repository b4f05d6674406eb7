export { ErasureModule, ErasureRunnerModule } from './erasure.module.js';
export { ERASURE_STATUSES, Erasures, type ErasureView } from './erasures.js';
export { ErasureRunner } from './erasure-runner.js';
export { COUNTED, ELSEWHERE, type Counted, type ElsewhereView, type ErasureReceipt } from './receipt.js';
