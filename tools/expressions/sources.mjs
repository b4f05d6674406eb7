// Finds the regular expressions in source files: the literals, and the places that build one at run time.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Methods of strings that build an expression from a string argument. */
const BUILDING_METHODS = new Set(['match', 'matchAll', 'search']);

/**
 * @typedef {{ file: string, line: number, source: string, flags: string }} Expression
 * @typedef {{ file: string, line: number, column: number }} Site a `new RegExp`; line and column count from 1
 * @typedef {{ file: string, line: number, text: string }} Hidden code that builds an expression in a way that is not recorded
 */

/** Paths below `root` of the product sources: TypeScript in libs/ and apps/ without tests. */
export function productFiles(root) {
  return ['libs', 'apps'].flatMap((folder) =>
    filesBelow(root, folder).filter((file) => /\.tsx?$/.test(file) && !/\.(spec|suite|d)\.tsx?$/.test(file)),
  );
}

function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(root, path);
    return [path];
  });
}

/**
 * The expressions of one file of TypeScript or JavaScript.
 * @returns {{ literals: Expression[], sites: Site[], hidden: Hidden[] }}
 */
export function scan(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = { literals: [], sites: [], hidden: [] };
  const position = (node) => {
    const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
    return { file, line: line + 1, column: character + 1 };
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) found.literals.push({ ...position(node), ...partsOf(node.text) });
    else if (isConstruction(node)) found.sites.push(position(node));
    else if (isHidden(node)) found.hidden.push({ ...position(node), text: node.getText(tree).slice(0, 80) });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function partsOf(literal) {
  const end = literal.lastIndexOf('/');
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) };
}

const isRegExp = (node) => ts.isIdentifier(node) && node.text === 'RegExp';

const isConstruction = (node) => (ts.isNewExpression(node) || ts.isCallExpression(node)) && isRegExp(node.expression);

/** Another use of the constructor than `new RegExp`, `instanceof RegExp` and a type, or a string that becomes an expression. */
function isHidden(node) {
  if (isRegExp(node)) return !isKnownUse(node.parent, node);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [argument] = node.arguments;
  const isText = argument !== undefined && (ts.isStringLiteralLike(argument) || ts.isTemplateExpression(argument));
  return isText && BUILDING_METHODS.has(node.expression.name.text);
}

function isKnownUse(parent, node) {
  if (isConstruction(parent)) return parent.expression === node;
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
  return ts.isTypeNode(parent) || ts.isExpressionWithTypeArguments(parent);
}
