import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, type Program } from '#libs/kernel';
import { HELM, KUBECTL_VALIDATE } from '../../tools/helm.mjs';
import { PROGRAMS, SETTINGS } from '../../libs/kernel/src/config/config.js';

const CHART = new URL('../../ops/helm/postloft/', import.meta.url).pathname;
const MINIMAL = join(CHART, 'ci/minimal.yaml');
const run = promisify(execFile);

interface KubernetesObject {
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: { replicas?: number; selector: { matchLabels: object } & object; template?: { spec: PodSpec } };
}
interface PodSpec {
  containers: { args: string[]; env: { name: string; value: string }[]; ports: { name: string }[] }[];
}

const render = async (...options: string[]): Promise<string> => {
  const args = ['template', 'mail', CHART, '--namespace', 'mail', '--kube-version', '1.30', ...options];
  return (await run(HELM, args, { maxBuffer: 1e8 })).stdout;
};
const objects = (text: string): KubernetesObject[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((one) => one !== null);

describe.skipIf(!existsSync(HELM) && process.env['POSTLOFT_REQUIRE_ENGINES'] !== '1')('the Helm chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-helm-'));
  let minimal: KubernetesObject[];

  beforeAll(async () => {
    minimal = objects(await render('-f', MINIMAL, '--set', 'settings.KAFKA_BROKERS=kafka:9092'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const validated = async (text: string) => {
    const file = join(folder, 'objects.yaml');
    writeFileSync(file, text);
    return run(KUBECTL_VALIDATE, [file, '--version', '1.30']);
  };

  it.each(['minimal', 'full'])('has no fault with the values of ci/%s.yaml', async (name) => {
    const values = join(CHART, 'ci', `${name}.yaml`);
    await run(HELM, ['lint', '--strict', CHART, '-f', values, '--kube-version', '1.30']);
    // The schema of a ServiceMonitor belongs to the Prometheus Operator.
    const text = await render('-f', values, '--set', 'serviceMonitor.enabled=false');
    expect((await validated(text)).stdout).toContain('OK');
  });

  it('is refused by the validator when an object is wrong', async () => {
    const text = (await render('-f', MINIMAL)).replaceAll('runAsNonRoot: true', 'runAsNonRoot: perhaps');
    await expect(validated(text)).rejects.toMatchObject({ stderr: expect.stringContaining('runAsNonRoot') as string });
  });

  it('runs the six programs, each with settings that it accepts', () => {
    const deployments = minimal.filter(({ kind }) => kind === 'Deployment');
    const names = deployments.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
    expect(names.toSorted()).toEqual(PROGRAMS.filter((name) => name !== 'cli' && name !== 'standalone').toSorted());
    const { data } = minimal.find(({ kind }) => kind === 'ConfigMap') as KubernetesObject;
    const { stringData } = minimal.find(({ kind }) => kind === 'Secret') as KubernetesObject;
    for (const { spec } of deployments) {
      const { args, env } = (spec?.template?.spec.containers ?? [])[0];
      const program = /^dist\/programs\/(\w+)\.js$/.exec(args.join(' '))?.[1] as Program;
      const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      expect(Object.keys({ ...data, ...stringData, ...own }).filter((name) => !(name in SETTINGS))).toEqual([]);
      expect(() => loadConfig(program, { DATA_DIR: '/data', ...data, ...stringData, ...own })).not.toThrow();
    }
  });

  it('runs the relay only with Kafka', async () => {
    const without = objects(await render('-f', MINIMAL)).filter(({ kind }) => kind === 'Deployment');
    expect(without.map(({ metadata }) => metadata.name)).not.toContain('mail-postloft-relay');
    expect(without).toHaveLength(5);
  });

  it('has one budget for each program with copies, three services and three network policies', () => {
    const count = (kind: string) => minimal.filter((one) => one.kind === kind).length;
    expect(count('PodDisruptionBudget')).toBe(3);
    expect(count('Service')).toBe(3);
    expect(count('NetworkPolicy')).toBe(3);
    expect(minimal.filter(({ kind }) => kind === 'ServiceMonitor' || kind === 'Ingress')).toEqual([]);
  });

  it.each([
    ['no domain', ['--set', 'settings.SERVICE_DOMAIN='], 'settings.SERVICE_DOMAIN is required'],
    ['no URL', ['--set', 'settings.PUBLIC_URL='], 'settings.PUBLIC_URL is required'],
    ['no master key', ['--set', 'secrets.MASTER_KEY='], 'secrets.MASTER_KEY is required'],
    ['a secret among the settings', ['--set', 'settings.DATABASE_URL=x'], 'DATABASE_URL is a secret'],
    ['an unknown mode', ['--set', 'settings.DELIVERY_MODE=pigeon'], "'capture', 'mx', 'smarthost'"],
    ['an unknown program', ['--set', 'programs.scheduler.replicas=1'], 'scheduler'],
    ['a negative number of copies', ['--set', 'programs.smtp.replicas=-1'], '/programs/smtp/replicas'],
    ['an ingress without a host', ['--set', 'gateway.ingress.enabled=true'], 'gateway.ingress.host is required'],
  ])('is refused with %s', async (_, options, sentence) => {
    await expect(render('-f', MINIMAL, ...options)).rejects.toMatchObject({
      stderr: expect.stringContaining(sentence) as string,
    });
  });

  it('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(CHART, '../../../package.json'), 'utf8')) as { version: string };
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string; appVersion: string };
    expect(chart).toMatchObject({ version, appVersion: version });
  });
});
