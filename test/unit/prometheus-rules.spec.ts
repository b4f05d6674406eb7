import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { productSources } from '../support/persistence/sql-statements.js';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8');
const { groups } = parse(read('ops/prometheus/rules.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
/** Names of metrics with the names of their labels, as the programs register them. */
const metrics = new Map(
  productSources().flatMap(({ text }) =>
    text
      .split(/(?=name: 'postloft_)/)
      .slice(1)
      .map((part) => [
        /'(\w+)'/.exec(part)?.[1] ?? '',
        [...(/labelNames: \[([^\]]*)\]/.exec(part)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, label]) => label),
      ]),
  ),
);

describe('the alerts for Prometheus', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s uses metrics and labels that exist', (_, rule) => {
    const used = [...rule.expr.matchAll(/(postloft_\w+)(?:\{([^}]*)\})?/g)];
    for (const [, name, matchers = ''] of used) {
      expect([...metrics.keys()]).toContain(name);
      for (const [, label] of matchers.matchAll(/(\w+)\s*[=!]/g)) expect(metrics.get(name)).toContain(label);
    }
    const labels = [...rule.annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    const known = ['instance', 'job', ...used.flatMap(([, name]) => metrics.get(name) ?? [])];
    for (const label of labels) expect(known).toContain(label);
    expect(['critical', 'warning', 'info']).toContain(rule.labels.severity);
  });

  it('have a section of the runbooks each, and no other section is there', () => {
    const sections = [...read('docs/runbooks.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
  });

  it('have a case in which they fire, and one in which they do not', () => {
    const { tests } = parse(read('ops/prometheus/rules.test.yml')) as { tests: { name: string }[] };
    expect(tests.map(({ name }) => name)).toEqual(
      rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} is quiet`]),
    );
  });
});
