import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Log } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { SEAWEEDFS } from '../../tools/seaweedfs.mjs';
import { Bucket } from '../../libs/storage/src/bucket.js';
import { SegmentBucket } from '../../libs/emails/src/message/content/segment-bucket.js';
import { ContentUnavailable } from '../../libs/emails/src/message/content/segment-store.js';
import { deleteContents, StoredContents } from '../../libs/emails/src/message/content/stored-contents.js';
import { startGatewayApp, type GatewayApp } from '../support/fixtures/gateway-app.js';
import { freePorts } from '../support/services/ports.js';
import { until } from '../support/timing/until.js';

const KEY = { accessKeyId: 'postloft', secretAccessKey: 'a-secret-of-the-tests' };
const BUCKET = 'contents';
const DAY_MS = 86_400_000;

/** SeaweedFS with one user and one bucket, on loopback. `node tools/seaweedfs.mjs` builds it. */
class S3Server {
  readonly folder = mkdtempSync(join(tmpdir(), 'postloft-s3-'));
  private process: ChildProcess | null = null;
  private ports: number[] = [];

  get endpoint(): string {
    return `http://127.0.0.1:${this.ports[0]}`;
  }

  async start(): Promise<void> {
    // SeaweedFS adds 10,000 to a port for gRPC unless it is told another.
    if (this.ports.length === 0) this.ports = await freePorts(8);
    const [s3, s3Grpc, master, masterGrpc, volume, volumeGrpc, filer, filerGrpc] = this.ports;
    const config = join(this.folder, 's3.json');
    const credentials = [{ accessKey: KEY.accessKeyId, secretKey: KEY.secretAccessKey }];
    writeFileSync(config, JSON.stringify({ identities: [{ name: 'postloft', credentials, actions: ['Admin'] }] }));
    mkdirSync(join(this.folder, 'data'), { recursive: true });
    this.process = spawn(
      SEAWEEDFS,
      [
        ...['server', '-s3', `-dir=${join(this.folder, 'data')}`, '-ip=127.0.0.1', '-ip.bind=127.0.0.1'],
        ...[`-s3.port=${s3}`, `-s3.port.grpc=${s3Grpc}`, `-s3.config=${config}`, '-s3.iam=false'],
        ...[`-master.port=${master}`, `-master.port.grpc=${masterGrpc}`, '-master.volumeSizeLimitMB=64'],
        ...[`-volume.port=${volume}`, `-volume.port.grpc=${volumeGrpc}`, '-volume.max=20'],
        ...[`-filer.port=${filer}`, `-filer.port.grpc=${filerGrpc}`],
      ],
      { cwd: this.folder, stdio: 'ignore' },
    );
    const client = new S3Client({
      ...{ endpoint: this.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: KEY, maxAttempts: 1 },
    });
    const create = () =>
      client.send(new CreateBucketCommand({ Bucket: BUCKET })).then(
        () => true,
        (error: Error) => error.name.startsWith('BucketAlready'),
      );
    await until(create, { what: 'a bucket', withinMs: 60_000 });
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.process?.once('exit', resolve) ?? resolve(null));
    this.process?.kill('SIGKILL');
    await ended;
  }
}

describe.skipIf(!existsSync(SEAWEEDFS))('contents in a bucket of SeaweedFS', { timeout: 120_000 }, () => {
  const server = new S3Server();
  const bucketAt = (spool: string) =>
    new SegmentBucket(
      new Bucket({ endpoint: server.endpoint, region: 'us-east-1', bucket: BUCKET, prefix: 'mail/', credentials: KEY }),
      { spool: join(server.folder, spool), log: Log.quiet() },
    );
  const bodies = (...texts: string[]) => texts.map((text) => Buffer.from(text));
  const uploaded = (bucket: SegmentBucket) =>
    until(() => Promise.resolve(bucket.waiting === 0), { what: 'the uploads', withinMs: 60_000 });
  beforeAll(() => server.start(), 90_000);
  afterAll(async () => {
    await server.stop();
    rmSync(server.folder, { recursive: true, force: true });
  });

  it('are read by range, from another machine as well', async () => {
    const [here, there] = [bucketAt('here'), bucketAt('there')];
    const refs = await here.append(bodies('one', 'zwei', 'three'), '2026-11-27');
    await uploaded(here);
    expect(readdirSync(join(server.folder, 'here'))).toEqual([]);
    for (const bucket of [here, there])
      expect(await Promise.all(refs.map(async (ref) => String(await bucket.read(ref))))).toEqual([
        'one',
        'zwei',
        'three',
      ]);
    await here.close();
    await there.close();
  });

  it('are on the local disk while the server is away, and uploaded afterwards, by another process if need be', async () => {
    const first = bucketAt('spool');
    await server.stop();
    const [ref] = await first.append(bodies('while it was away'), '2026-11-26');
    expect(String(await first.read(ref))).toBe('while it was away');
    await expect(first.erase(ref.segment, [ref])).rejects.toBeInstanceOf(ContentUnavailable);
    await first.close();
    expect(readdirSync(join(server.folder, 'spool'))).toHaveLength(1);
    await server.start();
    const next = bucketAt('spool');
    await next.resume();
    await uploaded(next);
    expect(readdirSync(join(server.folder, 'spool'))).toEqual([]);
    expect(String(await next.read(ref))).toBe('while it was away');
    await next.close();
  });

  it('are erased by writing the segment anew, and deleted by day', async () => {
    const bucket = bucketAt('here');
    const refs = await bucket.append(bodies('left', 'secret', 'right'), '2026-11-20');
    await uploaded(bucket);
    await bucket.erase(refs[1].segment, [refs[1]]);
    expect(await Promise.all(refs.map(async (ref) => String(await bucket.read(ref))))).toEqual([
      ...['left', '\0'.repeat(6), 'right'],
    ]);
    expect(await bucket.days()).toContain('2026-11-20');
    await bucket.deleteDay('2026-11-20');
    expect(await bucket.days()).not.toContain('2026-11-20');
    await expect(bucket.read(refs[0])).rejects.toBeInstanceOf(ContentUnavailable);
    await bucket.close();
  });

  describe('of a service', () => {
    let gateway: GatewayApp;
    beforeAll(async () => {
      gateway = await startGatewayApp({
        ...{ CONTENT_STORE: 's3', CONTENT_DIR: join(server.folder, 'contents'), CONTENT_S3_ENDPOINT: server.endpoint },
        ...{ CONTENT_S3_BUCKET: BUCKET, CONTENT_S3_PREFIX: 'service/' },
        ...{ CONTENT_S3_ACCESS_KEY_ID: KEY.accessKeyId, CONTENT_S3_SECRET_ACCESS_KEY: KEY.secretAccessKey },
      });
    }, 60_000);
    afterAll(() => gateway?.stop());

    it('are accepted, read, erased and deleted', async () => {
      const { key, domain } = await gateway.account();
      const agent = gateway.agent(key);
      const send = async (text: string) => {
        const mail = { from: `a@${domain}`, to: 'u@recipient.example', subject: 's', text };
        return ((await agent.post('/emails').send(mail).expect(201)).body as { id: string }).id;
      };
      const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`text ${i}`)));
      await until(() => Promise.resolve(readdirSync(join(server.folder, 'contents', 'upload')).length === 0), {
        what: 'the uploads',
      });
      for (const [i, id] of ids.entries())
        expect((await agent.get(`/emails/${id}`).expect(200)).body).toMatchObject({ text: `text ${i}` });
      const stored = gateway.app.get(StoredContents);
      expect(await deleteContents(gateway.app.get(Database), [ids[0]])).toBe(1);
      expect((await agent.get(`/emails/${ids[0]}`).expect(200)).body).toMatchObject({ text: null });
      expect(await stored.eraseDeleted()).toBe(1);
      expect(await stored.expire(new Date(Date.now() + 2 * DAY_MS))).toEqual([expect.stringMatching(/^s3\//)]);
      // Emails that still had their content have it in the database now.
      expect((await agent.get(`/emails/${ids[1]}`).expect(200)).body).toMatchObject({ text: 'text 1' });
    });
  });
});
