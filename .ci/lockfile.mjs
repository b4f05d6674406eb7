// Every package of the lockfile must be pinned by its hash: without `integrity` npm takes whatever a registry answers.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const entries = Object.entries(packages).filter(([path, entry]) => path !== '' && !entry.link);
const loose = entries.filter(([, entry]) => !entry.integrity).map(([path]) => path);
console.log(`${entries.length} packages in the lockfile, ${loose.length} without integrity`);
for (const path of loose) console.log(`  ${path}`);
process.exit(entries.length === 0 || loose.length > 0 ? 1 : 0);
