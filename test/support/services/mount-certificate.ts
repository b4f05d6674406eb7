import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificate } from '../fixtures/self-signed-certificate.js';

let version = 0;

/** Replaces the files of `..data` as an orchestrator does: a new directory, then one rename of a link. */
export function mountCertificate(folder: string, { cert, key }: Certificate): void {
  version += 1;
  const name = `..${process.pid}-${version}`;
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'tls.crt'), cert);
  writeFileSync(join(folder, name, 'tls.key'), key);
  symlinkSync(name, join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
}
