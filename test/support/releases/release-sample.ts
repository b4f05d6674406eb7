import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, constants } from 'node:zlib';
import pg from 'pg';
import type { ApiSnapshot } from './api-snapshot.js';
import { emptyDataDir } from '../services/program.js';

const FOLDER = new URL('../../golden/releases/', import.meta.url);

/** What an earlier version left behind, and what its API said of it. */
export interface ReleaseSample {
  version: string;
  /** Of the statistics in `api`. */
  period: { from: string; to: string };
  api: ApiSnapshot;
}

/** Settings of the recording; statistics are kept long enough for tests of later years. */
export const RELEASE_SETTINGS = {
  BOOTSTRAP_API_KEY: 'release-key-0123456789-abcdefghij-KLMNOP',
  BOOTSTRAP_DOMAINS: 'shop.example',
  BOOTSTRAP_ADMIN_EMAIL: 'owner@shop.example',
  BOOTSTRAP_ADMIN_PASSWORD: 'a password of the sample 1',
  BOOTSTRAP_PLAN: '100000',
  MASTER_KEY: Buffer.alloc(32, 11).toString('base64'),
  STATS_RAW_DAYS: '3650',
  STATS_MINUTE_DAYS: '3650',
};

export function releaseSample(version: string, kind: 'dump' | 'data-dir'): ReleaseSample {
  return JSON.parse(decompressed(`${version}/${kind}.json.br`).toString()) as ReleaseSample;
}

/** A new data directory with the data of that version. */
export function unpackDataDir(version: string): string {
  const dataDir = emptyDataDir();
  execFileSync('tar', ['-x', '-C', dataDir], { input: decompressed(`${version}/data-dir.tar.br`) });
  return dataDir;
}

/** Writes the data of that version into an empty database. */
export async function loadDump(version: string, url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const sql = decompressed(`${version}/dump.sql.br`).toString();
    // Commands of psql, and a schema that exists.
    await client.query(sql.replaceAll(/^(?:\\.*|CREATE SCHEMA public;)$/gm, ''));
  } finally {
    await client.end();
  }
}

const decompressed = (name: string): Buffer =>
  brotliDecompressSync(readFileSync(new URL(name, FOLDER)), {
    params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 },
  });
