// Records the regular expressions that the compiled modules build at run time, together with the place that built them.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { scan } from './sources.mjs';

const STACK_FRAMES = 4;
const POSITION = /\(?(file:\/\/[^\s()]+):(\d+):(\d+)\)?$/;

/**
 * Loads each file that builds expressions, calls its builder, and collects what was built.
 * @param {string} root folder with dist/, the compiled modules
 * @param {string[]} files the sources that build expressions, as paths below `root`
 * @param {Record<string, (module: any, load: (file: string) => Promise<any>) => unknown>} builders by file: calls the
 *   functions of the compiled module that build expressions outside of its top level
 * @returns {Promise<{ expressions: import('./sources.mjs').Expression[], problems: string[] }>}
 */
export async function builtExpressions(root, files, builders) {
  const registered = Object.keys(builders);
  const problems = [
    ...files
      .filter((file) => !registered.includes(file))
      .map((file) => `${file} builds an expression and has no builder`),
    ...registered
      .filter((file) => !files.includes(file))
      .map((file) => `${file} has a builder and builds no expression`),
  ];
  const recorder = new Recorder(root);
  const load = (file) => import(pathToFileURL(compiledFile(root, file)).href);
  for (const file of files.filter((one) => registered.includes(one))) {
    if (existsSync(compiledFile(root, file))) await builders[file](await load(file), load);
    else problems.push(`${file} is not compiled`);
  }
  recorder.stop();
  for (const file of files) problems.push(...unreached(root, file, recorder));
  return { expressions: recorder.expressions(), problems };
}

const compiledFile = (root, file) => join(root, 'dist', file.replace(/\.tsx?$/, '.js'));

/** A problem for each `new RegExp` of the compiled file that was not executed. */
function unreached(root, file, recorder) {
  if (!existsSync(compiledFile(root, file))) return [];
  return scan(root, relative(root, compiledFile(root, file)))
    .sites.filter((site) => !recorder.has(site))
    .map(({ line }) => `${file}: the builder does not execute the new RegExp in line ${line} of the compiled file`);
}

/** Replaces the global RegExp. Literals are not affected by that. */
class Recorder {
  #original = globalThis.RegExp;
  #limit = Error.stackTraceLimit;
  /** By place, then by expression. */
  #built = new Map();

  constructor(root) {
    const prefix = `${pathToFileURL(join(root, 'dist')).href}/`;
    const record = (expression) => {
      const [, url, line, column] = POSITION.exec(new Error().stack.split('\n')[3] ?? '') ?? [];
      if (url === undefined || !url.startsWith(prefix)) return expression;
      const key = `${fileURLToPath(url).slice(root.length + 1)}:${line}:${column}`;
      const here = this.#built.get(key) ?? new Map();
      this.#built.set(key, here.set(String(expression), expression));
      return expression;
    };
    Error.stackTraceLimit = STACK_FRAMES;
    globalThis.RegExp = new Proxy(this.#original, {
      construct: (target, given, newTarget) => record(Reflect.construct(target, given, newTarget)),
      apply: (target, self, given) => record(Reflect.apply(target, self, given)),
    });
  }

  stop() {
    globalThis.RegExp = this.#original;
    Error.stackTraceLimit = this.#limit;
  }

  has({ file, line, column }) {
    return this.#built.has(`${file}:${line}:${column}`);
  }

  expressions() {
    return [...this.#built].flatMap(([place, here]) => {
      const file = place.split(':', 1)[0].slice('dist/'.length).replace(/\.js$/, '.ts');
      return [...here.values()].map(({ source, flags }) => ({ file, line: 0, source, flags }));
    });
  }
}
