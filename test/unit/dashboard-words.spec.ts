import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = 'apps/dashboard/src';
/** Words that the dashboard does not use, with the word that it uses. */
const FORBIDDEN: [word: RegExp, instead: string][] = [
  [/\be-mails?\b/i, 'email'],
  [/\bmessages?\b/i, 'email'],
  [/\binbox\b/i, 'Captured'],
  [/\blogins?\b|\blog(?:ged|ging|s)? (?:in|out)\b/i, 'sign in, sign out'],
];
/** Texts about the bytes of an email, and names of the interface. */
const PERMITTED = [
  /^\/|\/app\/|^message\/rfc822$|^message$|^#?after-message$/,
  /message-id/i,
  /npm run cli -- login-link/,
];
/** The parts of a message, its header fields and its checks; columns of files of other services. */
const ABOUT_BYTES = [/^pages\/messages\//, /^pages\/suppressions\/import-file\.ts$/];

it('uses one word for one thing', () => {
  const files = sources();
  expect(files.length).toBeGreaterThan(90);
  const found = files.flatMap((file) =>
    textsOf(file).flatMap((text) =>
      FORBIDDEN.filter(([word]) => word.test(text) && !PERMITTED.some((one) => one.test(text)))
        .filter(([, instead]) => instead !== 'email' || !ABOUT_BYTES.some((one) => one.test(file)))
        .map(([, instead]) => `${file}: ${JSON.stringify(text)}; write ${instead}`),
    ),
  );
  expect(found).toEqual([]);
});

it('reads texts in markup, literals and templates, and no names', () => {
  const texts = textsIn(
    'a.tsx',
    'import "login"; const login = 1; const e = <b title="One">Two {`Three ${login} four`}</b>;',
  );
  expect(texts).toEqual(['One', 'Two', 'Three', 'four']);
});

function sources(): string[] {
  return readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts') && !file.includes('generated'),
  );
}

const textsOf = (file: string): string[] => textsIn(file, readFileSync(join(ROOT, file), 'utf8'));

function textsIn(file: string, source: string): string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (isText(node)) texts.push(node.text.replace(/\s+/g, ' ').trim());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind));
  return texts.filter((text) => text !== '');
}

const isText = (node: ts.Node): node is ts.StringLiteralLike | ts.JsxText | ts.TemplateHead | ts.TemplateMiddle =>
  ts.isStringLiteralLike(node) ||
  ts.isJsxText(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node);
