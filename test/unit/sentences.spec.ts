import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sentences } from '#libs/contracts';
import { explanationShapes } from '#libs/queue';
import { expect, it } from 'vitest';

const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

interface Automation {
  id: string;
  action: string;
}

it('has a sentence for every automation that holds emails back, and for no other', () => {
  const file = json('libs/mta/src/throttling/throttling.json') as {
    automations: Automation[];
    providers: Record<string, { automations?: Automation[] }>;
  };
  const all = [...file.automations, ...Object.values(file.providers).flatMap(({ automations = [] }) => automations)];
  const ids = all.filter(({ action }) => action !== 'ignore').map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(30);
  // Written by the warm-up plan, without an automation.
  expect(Object.keys(sentences.THROTTLE_CAUSES).toSorted()).toEqual([...ids, 'warm-up-deferrals'].toSorted());
});

it('has a sentence for every kind of automated client', () => {
  const kinds = new Set((json('libs/tracking/src/bots.json') as { kind: string }[]).map(({ kind }) => kind));
  expect(Object.keys(sentences.BOTS).toSorted()).toEqual([...kinds].toSorted());
});

it('has a sentence for whatever a recipient waits for', () => {
  expect(Object.keys(sentences.HOLDS)).toEqual(explanationShapes.held.fields.kind.words);
  expect(Object.keys(sentences.WAITING_FOR)).toEqual(explanationShapes.recipientExplanation.fields.waiting_for.words);
});

it('has a sentence for every action of the audit log', () => {
  const actions = sourcesIn(['libs', 'apps/gateway', 'apps/cli']).flatMap((text) =>
    [...text.matchAll(/action: '([a-z_]+\.[a-z_]+)'/g)].map(([, action]) => action),
  );
  expect(new Set(actions).size).toBeGreaterThan(15);
  const table = readFileSync('apps/dashboard/src/pages/audit-log/actions.ts', 'utf8');
  expect(actions.filter((action) => !table.includes(`'${action}': `))).toEqual([]);
});

it('has no machine words in sentences', () => {
  const texts = Object.values(sentences).flatMap((table) => (typeof table === 'object' ? Object.values(table) : []));
  expect(texts.length).toBeGreaterThan(60);
  expect(texts.filter((text) => /[a-z]_[a-z]|\be-mail\b|\bmails?\b(?! Privacy)/.test(text))).toEqual([
    'our address is suspected of bulk mail',
  ]);
});

it('falls back to a reply for an automation of the operator', () => {
  expect(sentences.throttleCause('listed-address')).toBe(
    'because a server there says that our address is on a block list',
  );
  expect(sentences.throttleCause('operator-own')).toBe('because of a reply of a server there');
  expect(sentences.throttleCause('constructor')).toBe('because of a reply of a server there');
});

const sourcesIn = (folders: string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
  );
