import { join } from 'node:path';
import { Config, Log, Metrics, Shutdown } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Gauge } from 'prom-client';
import { SegmentFiles } from './segment-files.js';
import type { SegmentStore } from './segment-store.js';
import { StoredContents } from './stored-contents.js';

/** The stores that the settings name, for one process. */
export const contentsProvider = {
  provide: StoredContents,
  inject: [Config, Database, Shutdown, Metrics, Log],
  useFactory: async (config: Config, database: Database, shutdown: Shutdown, metrics: Metrics, log: Log) => {
    const { CONTENT_STORE, CONTENT_DIR = join(config.dataDir, 'contents') } = config.settings;
    const stores = new Map<string, SegmentStore>([['files', new SegmentFiles(CONTENT_DIR)]]);
    const bucket = await openBucket(config, join(CONTENT_DIR, 'upload'), { metrics, log });
    if (bucket !== null) stores.set('s3', bucket);
    for (const [kind, store] of stores) shutdown.on('store', `contents in ${kind}`, () => store.close());
    return new StoredContents(database, log, stores, CONTENT_STORE);
  },
};

async function openBucket({ settings }: Config, spool: string, { metrics, log }: { metrics: Metrics; log: Log }) {
  if (settings.CONTENT_S3_BUCKET === undefined) return null;
  // The library takes half a second to load.
  const { SegmentBucket } = await import('./segment-bucket.js');
  const { CONTENT_S3_ACCESS_KEY_ID: accessKeyId, CONTENT_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const bucket = new SegmentBucket(
    {
      endpoint: settings.CONTENT_S3_ENDPOINT,
      region: settings.CONTENT_S3_REGION,
      bucket: settings.CONTENT_S3_BUCKET,
      prefix: settings.CONTENT_S3_PREFIX,
      credentials:
        accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
    },
    { spool, log },
  );
  new Gauge({
    name: 'postloft_content_uploads_waiting',
    help: 'Segments of contents that are on the local disk and not in the bucket yet.',
    registers: [metrics.registry],
    collect() {
      this.set(bucket.waiting);
    },
  });
  await bucket.resume();
  return bucket;
}
