import { missing, verified, wrong, type Judgement } from './judgement.js';

/** An alias (CNAME) that must lead to `target`. */
export function judgeAlias(targets: readonly string[], target: string): Judgement {
  if (targets.length === 0) return missing('There is no CNAME record with this name yet. Add it if you want this.');
  if (targets.length === 1 && targets[0] === target) return verified([target]);
  return wrong([...targets], `The record leads to ${targets.join(', ')}. Let it lead to ${target}.`);
}
