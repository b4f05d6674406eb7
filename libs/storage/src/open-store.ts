import type { Bucket, BucketOptions } from './bucket.js';
import { FolderStore } from './folder-store.js';
import type { ObjectStore } from './object-store.js';
import { parsePlace } from './place.js';

/** The library of S3 takes half a second to load, so programs without a bucket do not load it. */
export async function openBucket(options: BucketOptions): Promise<Bucket> {
  const { Bucket: Opened } = await import('./bucket.js');
  return new Opened(options);
}

/**
 * Opens a folder, or `s3://bucket/prefix`, without a request. Credentials are found as the AWS SDK finds them.
 * @throws a sentence that continues the name of a setting or argument
 */
export async function openStore(
  text: string,
  server: { endpoint: string | undefined; region: string },
): Promise<ObjectStore> {
  const place = parsePlace(text);
  if (place.kind === 'folder') return new FolderStore(place.path);
  const { bucket, prefix } = place;
  const { BucketStore } = await import('./bucket-store.js');
  return new BucketStore(text, await openBucket({ ...server, bucket, prefix, credentials: undefined }));
}
