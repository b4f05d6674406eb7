export { ErasureModule, ErasureRunnerModule } from './erasure.module.js';
export { Erasures } from './erasures.js';
export { ErasureRunner } from './erasure-runner.js';
export { elsewhere, erasure, erasureReceipt, erasureRequest, type ErasureView } from './erasure.resource.js';
