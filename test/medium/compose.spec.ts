import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig, SETTINGS, type Config, type Program } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  image: string;
  build?: { dockerfile: string };
  command?: string[];
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, unknown>;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What an operator would have to set, as the files demand it with `${NAME:?…}`. */
const OPERATOR: Record<string, string> = {
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  POSTGRES_PASSWORD: 'letters0and9digits',
  CLICKHOUSE_PASSWORD: 'letters0and9digits',
};

/** The substitution of Compose, which happens in values after parsing: `${NAME:-default}` and `${NAME:?reason}`. */
function substituted(path: string): Compose {
  const fill = (value: string): string =>
    value.replaceAll(/\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g, (_, name: string, sign?: string, rest = '') => {
      const given = sign === '-' ? rest : OPERATOR[name];
      if (given === undefined) throw new Error(`${path} uses ${name} without a default`);
      return given;
    });
  const fillAll = (value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    if (Array.isArray(value)) return value.map(fillAll);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillAll(inner)]));
  };
  return fillAll(parse(text(path), { merge: true })) as Compose;
}

const FILES: [path: string, programs: Record<string, Program>][] = [
  ['docker/compose.standalone.yml', { postloft: 'standalone' }],
  [
    'docker/compose.distributed.yml',
    { gateway: 'gateway', smtp: 'smtp', delivery: 'delivery', analytics: 'analytics', webhooks: 'webhooks' },
  ],
];

/** The image's own settings, which a compose file adds to. */
const imageSettings = Object.fromEntries(
  [...text('docker/Dockerfile').matchAll(/^\s*(?:ENV )?([A-Z_]+)=(\S+?)(?: \\)?$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
);

function configOf(program: Program, service: Service): Config {
  const own = Object.entries(service.environment ?? {}).map(([name, value]) => [name, String(value)] as const);
  return loadConfig(program, { ...imageSettings, ...Object.fromEntries(own) });
}

describe.each(FILES)('%s', (path, programs) => {
  const { services, volumes } = substituted(path);
  const ours = Object.entries(services).filter(([, service]) => service.build !== undefined);

  it('runs our programs and each of them once', () => {
    expect(ours.map(([name]) => name)).toEqual(Object.keys(programs));
  });

  it.each(ours)('gives %s settings that exist and that it accepts', (name, service) => {
    const unknown = Object.keys(service.environment ?? {}).filter((setting) => !(setting in SETTINGS));
    expect(unknown).toEqual([]);
    expect(configOf(programs[name], service).settings.DATA_DIR).toBe('/data');
  });

  it.each(ours)('publishes only ports of %s that it listens on', (name, service) => {
    const { HTTP_PORT, SMTP_PORT, SMTPS_PORT, INBOUND_SMTP_PORT } = configOf(programs[name], service).settings;
    const inside = (service.ports ?? []).map((port) => Number(port.split(':').at(-1)));
    expect([HTTP_PORT, SMTP_PORT, SMTPS_PORT, INBOUND_SMTP_PORT]).toEqual(expect.arrayContaining(inside));
  });

  it.each(ours)('starts %s from a file that the build makes', (name, service) => {
    const main = service.command?.[0] ?? 'dist/apps/standalone/src/main.js';
    expect(main).toBe(`dist/apps/${programs[name]}/src/main.js`);
    expect(existsSync(join(ROOT, main.replace(/^dist\//, '').replace(/\.js$/, '.ts')))).toBe(true);
  });

  it('names only services and volumes that it defines', () => {
    for (const service of Object.values(services)) {
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(service.depends_on ?? {})));
      const named = (service.volumes ?? []).map((volume) => volume.split(':')[0]);
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named));
    }
  });

  it.each(ours)('points %s at services of this file', (name, service) => {
    const { DATABASE_URL, CLICKHOUSE_URL, KAFKA_BROKERS } = configOf(programs[name], service).settings;
    const hosts = [DATABASE_URL, CLICKHOUSE_URL].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
    hosts.push(...(KAFKA_BROKERS ?? []).map((broker) => broker.split(':')[0]));
    expect(Object.keys(services)).toEqual(expect.arrayContaining(hosts));
  });
});

describe('docker/Dockerfile', () => {
  it('copies only what the builder is given and the repository has', () => {
    const copied = [...text('docker/Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list]) =>
      list.split(' '),
    );
    const given = text('docker/Dockerfile.dockerignore').split('\n');
    expect(copied.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
    expect(copied.filter((name) => !given.includes(`!${name}`))).toEqual([]);
  });

  it('sets only what the service or its runtime knows', () => {
    const runtime = ['NODE_ENV', 'UV_THREADPOOL_SIZE'];
    expect(Object.keys(imageSettings).filter((name) => !(name in SETTINGS) && !runtime.includes(name))).toEqual([]);
  });
});
