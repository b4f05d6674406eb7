import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Metrics } from './metrics.js';

it('names the version of the package and of Node.js', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const expected = `postloft_build_info{version="${version}",node="${process.versions.node}"} 1`;
  expect((await new Metrics().render()).split('\n')).toContain(expected);
});
