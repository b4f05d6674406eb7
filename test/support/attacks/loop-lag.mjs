// Loaded into the program by NODE_OPTIONS=--import: notes in the file LOOP_LAG_FILE how long its event loop was held at
// the most, in ms, since the file was last removed.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.LOOP_LAG_FILE;
if (file && isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  setInterval(() => {
    if (!existsSync(file)) delay.reset();
    // Whoever reads sees a whole file.
    writeFileSync(`${file}.new`, JSON.stringify({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 }));
    renameSync(`${file}.new`, file);
  }, 200).unref();
}
