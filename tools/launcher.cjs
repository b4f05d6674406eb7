#!/usr/bin/env -S node --max-semi-space-size=64
// The entry file of each program; tools/bundle.mjs copies it to dist/programs/<program>.js. Options of V8 and the size
// of the thread pool are set only here (docs/decisions/036-performance-changes.md).
'use strict';
const path = require('node:path');
const v8 = require('node:v8');

// Node.js 20 and 22 size the young generation before any code runs, so there only the first line of this file has an
// effect.
v8.setFlagsFromString('--max-semi-space-size=64');
v8.setFlagsFromString('--heap-growing-percent=150');
v8.setFlagsFromString('--no-allocation-site-pretenuring');

// Disk, DNS, signing and the statistics engine share the thread pool; the default of 4 threads is too few. This file is
// CommonJS because the loader of ES modules in Node.js 20 starts the pool before the first module runs.
process.env.UV_THREADPOOL_SIZE ??= '16';

if (process.argv[2] === '--version') console.log(require('../../package.json').version);
else void import(`../bundles/${path.basename(__filename)}`);
