// Fails for every regular expression of the product whose time grows faster than its input: literals, and expressions that
// are built at run time or from data files, for which each `new RegExp` is executed by tools/expressions/builders.mjs.
//
//   node tools/check-expressions.mjs [folder]      reads the output of the compiler in dist/
//
// tools/expressions/reviewed.json has the exceptions: { file, expression, bound }, where `bound` says which limit of the
// input, in which place, makes the expression harmless. An entry without such an expression fails as well.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expressionProblems } from './expressions/problems.mjs';

const problems = await expressionProblems(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))));
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
