export { ErasureModule, ErasureRunnerModule } from './erasure.module.js';
export { Erasures } from './erasures.js';
export { ErasureRunner } from './erasure-runner.js';
export { erasureShapes, type ErasureView } from './erasure.resource.js';
