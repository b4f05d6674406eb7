export type { Bucket } from './bucket.js';
export { createDurably, UNFINISHED, writeAll, writeDurably } from './durable-files.js';
export { frames } from './frames.js';
export { parsePlace } from './place.js';
export { openBucket, openStore } from './open-store.js';
export { ObjectMissing, type Appender, type ObjectStore } from './object-store.js';
