import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ConfigError, loadConfig, type Program } from '#libs/kernel';
import { PROGRAMS, SETTINGS } from '../../libs/kernel/src/config/config.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
/** Read by Node.js itself. */
const OF_THE_RUNTIME = ['NODE_ENV'];

type Environment = Record<string, string>;
interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment: Environment;
  ports?: string[];
  volumes?: string[];
  networks?: string[];
  depends_on?: Record<string, unknown>;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks?: Record<string, unknown>;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const dockerfile = read('docker/Dockerfile').replaceAll('\\\n', ' ').split('\n');
const imageSettings = environmentOfImage();

describe.each([
  { file: 'docker/compose.standalone.yml', programs: ['standalone'], secrets: [] },
  {
    file: 'docker/compose.distributed.yml',
    programs: ['gateway', 'smtp', 'delivery', 'analytics', 'webhooks', 'relay'],
    secrets: ['MASTER_KEY'],
  },
])('$file', ({ file, programs, secrets }) => {
  const compose = parse(read(file), { merge: true }) as Compose;
  const ours = Object.entries(compose.services).filter(([, service]) => service.image === 'postloft');

  it('runs these programs and no other', () => {
    expect(ours.map(([, service]) => programOf(service))).toEqual(programs);
  });

  it('asks for these secrets and has a default for everything else', () => {
    expect(requiredVariables(read(file))).toEqual(secrets);
  });

  it.each(ours)('gives %s nothing but settings that it accepts', (_name, service) => {
    const environment = resolve(service.environment, { MASTER_KEY });
    expect(Object.keys(environment).filter((name) => !(name in SETTINGS))).toEqual([]);
    expect(() => loadConfig(programOf(service), { ...imageSettings, ...environment })).not.toThrow();
  });

  it.each(ours)('publishes the ports that %s listens on', (_name, service) => {
    const { settings } = loadConfig(programOf(service), {
      ...imageSettings,
      ...resolve(service.environment, { MASTER_KEY }),
    });
    const listening: Partial<Record<Program, string[]>> = {
      standalone: [
        `3000:${settings.HTTP_PORT}`,
        `587:${settings.SMTP_PORT}`,
        `465:${settings.SMTPS_PORT}`,
        `25:${settings.INBOUND_SMTP_PORT}`,
      ],
      gateway: [`3000:${settings.HTTP_PORT}`],
      smtp: [`587:${settings.SMTP_PORT}`, `465:${settings.SMTPS_PORT}`, `25:${settings.INBOUND_SMTP_PORT}`],
    };
    expect(service.ports ?? []).toEqual(listening[programOf(service)] ?? []);
  });

  it.each(ours)('builds the image of %s from this repository', (_name, service) => {
    expect(service.build).toEqual({ context: '..', dockerfile: 'docker/Dockerfile' });
  });

  it.each(Object.entries(compose.services))('declares every volume, network and service that %s names', (_, one) => {
    const named = (one.volumes ?? []).map((volume) => volume.split(':')[0]);
    expect(named.filter((name) => !(name in compose.volumes))).toEqual([]);
    expect((one.networks ?? []).filter((name) => !(name in (compose.networks ?? {})))).toEqual([]);
    expect(Object.keys(one.depends_on ?? {}).filter((name) => !(name in compose.services))).toEqual([]);
  });
});

describe('docker/compose.distributed.yml', () => {
  const compose = parse(read('docker/compose.distributed.yml'), { merge: true }) as Compose;

  it('names the engines as they are called on its network', () => {
    const { settings } = loadConfig('gateway', resolve(compose.services['gateway'].environment, { MASTER_KEY }));
    const hosts = [settings.DATABASE_URL, settings.CLICKHOUSE_URL].map((url) => new URL(url as string).hostname);
    for (const host of [...hosts, ...(settings.KAFKA_BROKERS ?? []).map((broker) => broker.split(':')[0])])
      expect(Object.keys(compose.services)).toContain(host);
  });

  it('does not start without its secret', () => {
    const environment = resolve(compose.services['smtp'].environment, { MASTER_KEY: '' });
    expect(() => loadConfig('smtp', environment)).toThrow(ConfigError);
  });
});

describe('docker/Dockerfile', () => {
  const copied = dockerfile
    .filter((line) => /^COPY (?!--from)/.test(line))
    .flatMap((line) => line.split(/\s+/).slice(1, -1));

  it.each(copied)('copies %s, which is there and reaches the builder', (source) => {
    expect(existsSync(join(ROOT, source))).toBe(true);
    expect(read('.dockerignore').split('\n')).toContain(`!${source.replace(/^\.\//, '')}`);
  });

  it('is labelled with the version of the program', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(dockerfile).toContain(`ARG VERSION=${version}`);
  });

  it('gives settings only', () => {
    const given = Object.keys(imageSettings).filter((name) => !OF_THE_RUNTIME.includes(name));
    expect(given.filter((name) => !(name in SETTINGS))).toEqual([]);
    expect(() => loadConfig('standalone', imageSettings)).not.toThrow();
  });

  it('runs as an ordinary user, as process 1, as npm start would, and says whether it is well', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const program of PROGRAMS.filter((name) => name !== 'cli'))
      expect(scripts[program === 'standalone' ? 'start' : `start:${program}`]).toBe(
        `node tools/setup.mjs && exec dist/programs/${program}.js`,
      );
    const last = dockerfile.slice(dockerfile.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last.filter((line) => /^(USER|ENTRYPOINT|CMD|HEALTHCHECK)/.test(line))).toEqual([
      'USER 1000',
      expect.stringMatching(/^HEALTHCHECK .* CMD \["node", "docker\/healthcheck\.mjs"\]$/),
      'ENTRYPOINT ["node"]',
      'CMD ["dist/programs/standalone.js"]',
    ]);
  });
});

/** The program that a service's command starts; it must exist. */
function programOf({ command = ['dist/programs/standalone.js'] }: Service): Program {
  const name = /^dist\/programs\/(\w+)\.js$/.exec(command.join(' '))?.[1] as Program;
  expect(PROGRAMS).toContain(name);
  expect(existsSync(join(ROOT, `apps/${name}/src/main.ts`))).toBe(true);
  return name;
}

/** `${NAME:-default}` and `${NAME:?sentence}` as Compose replaces them. */
function resolve(environment: Environment, given: Environment): Environment {
  const replace = (text: string) =>
    text.replace(/\$\{(\w+):[-?]([^}]*)\}/g, (whole, name: string, other: string) =>
      name in given ? given[name] : whole.includes(':?') ? '' : other,
    );
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, replace(String(value))]));
}

function requiredVariables(text: string): string[] {
  expect(text.match(/\$\{\w+\}|\$\w+/g) ?? []).toEqual([]); // neither a default nor a sentence
  return [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
}

function environmentOfImage(): Environment {
  const text = dockerfile.filter((line) => line.startsWith('ENV ')).join(' ');
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}
