import { join } from 'node:path';
import { Config, Log, Metrics, Shutdown } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { openBucket } from '#libs/storage';
import { Gauge } from 'prom-client';
import { SegmentBucket } from './segment-bucket.js';
import { SegmentFiles } from './segment-files.js';
import type { SegmentStore } from './segment-store.js';
import { StoredContents } from './stored-contents.js';

/** The stores that the settings name, for one process. */
export const contentsProvider = {
  provide: StoredContents,
  inject: [Config, Database, Shutdown, Metrics, Log],
  useFactory: async (config: Config, database: Database, shutdown: Shutdown, metrics: Metrics, log: Log) => {
    const { stores, bucket } = await openStores(config, log);
    if (bucket !== null) await startUploads(bucket, metrics);
    for (const [kind, store] of stores) shutdown.on('store', `contents in ${kind}`, () => store.close());
    return new StoredContents(database, log, stores, config.settings.CONTENT_STORE);
  },
};

/** The same for a command, which uploads nothing that a program left behind. */
export async function openContents(config: Config, database: Database, log: Log): Promise<StoredContents> {
  const { stores } = await openStores(config, log);
  return new StoredContents(database, log, stores, config.settings.CONTENT_STORE);
}

async function openStores(
  config: Config,
  log: Log,
): Promise<{ stores: Map<string, SegmentStore>; bucket: SegmentBucket | null }> {
  const { CONTENT_DIR = join(config.dataDir, 'contents') } = config.settings;
  const stores = new Map<string, SegmentStore>([['files', new SegmentFiles(CONTENT_DIR)]]);
  const bucket = await openSegmentBucket(config, join(CONTENT_DIR, 'upload'), log);
  if (bucket !== null) stores.set('s3', bucket);
  return { stores, bucket };
}

async function openSegmentBucket({ settings }: Config, spool: string, log: Log): Promise<SegmentBucket | null> {
  if (settings.CONTENT_S3_BUCKET === undefined) return null;
  const { CONTENT_S3_ACCESS_KEY_ID: accessKeyId, CONTENT_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const bucket = await openBucket({
    endpoint: settings.CONTENT_S3_ENDPOINT,
    region: settings.CONTENT_S3_REGION,
    bucket: settings.CONTENT_S3_BUCKET,
    prefix: settings.CONTENT_S3_PREFIX,
    credentials:
      accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
  });
  return new SegmentBucket(bucket, { spool, log });
}

async function startUploads(bucket: SegmentBucket, metrics: Metrics): Promise<void> {
  new Gauge({
    name: 'postloft_content_uploads_waiting',
    help: 'Segments of contents that are on the local disk and not in the bucket yet.',
    registers: [metrics.registry],
    collect() {
      this.set(bucket.waiting);
    },
  });
  await bucket.resume();
}
