// Helm and a validator of Kubernetes objects that contains its schemas, for the tests of ops/helm. Both are built from their Go
// modules into .tools/helm, which takes some minutes and needs Go 1.26.
//
//   node tools/helm.mjs      builds them unless they are there
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = join(dirname(dirname(fileURLToPath(import.meta.url))), '.tools', 'helm');
const MODULES = ['helm.sh/helm/v3/cmd/helm@v3.22.0', 'sigs.k8s.io/kubectl-validate@v0.0.4'];
const run = promisify(execFile);

/** The programs, whether or not they are there. */
export const HELM = join(FOLDER, 'helm');
export const KUBECTL_VALIDATE = join(FOLDER, 'kubectl-validate');

export async function buildHelm() {
  if (existsSync(HELM) && existsSync(KUBECTL_VALIDATE)) return;
  mkdirSync(FOLDER, { recursive: true });
  for (const module of MODULES)
    await run('go', ['install', module], { env: { ...process.env, GOBIN: FOLDER }, maxBuffer: 1e8 });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await buildHelm();
