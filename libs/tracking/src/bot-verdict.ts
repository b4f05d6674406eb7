import { AddressRanges } from '#libs/kernel';
import rules from './bots.json' with { type: 'json' };

export interface Visit {
  kind: 'open' | 'click';
  method: string;
  address: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A visit that no person made, or at least not at that moment: the kind of client, and the rule that decided. */
export interface BotVerdict {
  kind: string;
  rule: string;
}

interface Rule {
  rule: string;
  kind: string;
  /** The visits that the rule judges; without it, all. */
  visits?: string[];
  methods?: string[];
  /** Header fields whose value contains the text. */
  headers?: Record<string, string>;
  /** The whole User-Agent; empty for a request without one. */
  agentIs?: string;
  agentContains?: string[];
  networks?: string[];
}

/** Rules in their order; the first that matches decides. Each condition of a rule is sufficient. */
const RULES = (rules as Rule[]).map((rule) => ({
  ...rule,
  agentContains: (rule.agentContains ?? []).map((text) => text.toLowerCase()),
  ranges: rule.networks === undefined ? null : new AddressRanges(rule.networks),
}));

/** The names of all rules, for the documentation. */
export const BOT_RULES: readonly string[] = RULES.map(({ rule }) => rule);

/**
 * Null for a visit of a person. Judged by the request alone: the time since the delivery is no criterion, because people
 * open messages within seconds too.
 */
export function botVerdict(visit: Visit): BotVerdict | null {
  const agent = String(visit.headers['user-agent'] ?? '').trim();
  const lower = agent.toLowerCase();
  const rule = RULES.find(
    ({ visits, methods, headers, agentIs, agentContains, ranges }) =>
      (visits?.includes(visit.kind) ?? true) &&
      ((methods?.includes(visit.method) ?? false) ||
        hasHeader(visit, headers) ||
        agent === agentIs ||
        agentContains.some((text) => lower.includes(text)) ||
        (ranges?.includes(visit.address) ?? false)),
  );
  return rule ? { kind: rule.kind, rule: rule.rule } : null;
}

function hasHeader(visit: Visit, wanted: Record<string, string> = {}): boolean {
  return Object.entries(wanted).some(([name, text]) =>
    String(visit.headers[name] ?? '')
      .toLowerCase()
      .includes(text),
  );
}
