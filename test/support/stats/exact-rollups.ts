import { expect } from 'vitest';

/** Asks the statistics store. */
export type Select = (query: string) => Promise<Record<string, string>[]>;

const COUNTS = `countIf(counter = 'accepted'), countIf(counter = 'sent'), countIf(counter = 'delivered'),
  countIf(counter = 'deferred'), countIf(counter = 'bounced'), countIf(counter = 'bounced' AND bounce_type = 'hard'),
  countIf(counter = 'bounced' AND bounce_type = 'soft'), countIf(counter = 'bounced' AND bounce_type = 'undetermined'),
  countIf(counter = 'failed'), countIf(counter = 'complained'), countIf(counter = 'suppressed'),
  countIf(counter = 'canceled'), countIf(counter = 'unsubscribed'), countIf(counter = 'opened'),
  countIf(counter = 'clicked'), uniqExactIf((email_id, recipient), counter = 'opened' AND NOT is_bot),
  uniqExactIf((email_id, recipient), counter = 'clicked' AND NOT is_bot),
  countIf(counter = 'delivered' AND is_simulated), countIf(counter = 'bounced' AND is_simulated),
  countIf(counter = 'failed' AND is_simulated), countIf(counter = 'complained' AND is_simulated),
  uniqExactIf((email_id, recipient), counter = 'opened' AND NOT is_bot AND is_simulated),
  uniqExactIf((email_id, recipient), counter = 'clicked' AND NOT is_bot AND is_simulated)`;
const ROLLED = `sum(accepted), sum(sent), sum(delivered), sum(delivery_delayed), sum(bounced), sum(bounced_permanent),
  sum(bounced_transient), sum(bounced_undetermined), sum(failed), sum(complained), sum(suppressed), sum(canceled),
  sum(unsubscribed), sum(opened), sum(clicked), uniqCombined64Merge(unique_opened), uniqCombined64Merge(unique_clicked),
  sum(simulated_delivered), sum(simulated_bounced), sum(simulated_failed), sum(simulated_complained),
  uniqCombined64Merge(simulated_unique_opened), uniqCombined64Merge(simulated_unique_clicked)`;
const PERIODS = { minute: 60, quarter: 900, hour: 3_600, day: 86_400 };

/** Compares every row of every roll-up with a count over the single events. */
export async function expectExactRollups(select: Select): Promise<void> {
  for (const [level, seconds] of Object.entries(PERIODS)) {
    const keys = 'toString(account_id) AS a, toString(domain_id) AS d';
    const of = `intDiv(toUnixTimestamp(at), ${seconds}) * ${seconds} AS p`;
    const expected = await select(
      `SELECT ${keys}, ${of}, [${COUNTS}] AS counts FROM recipient_events WHERE counter != '' GROUP BY a, d, p ORDER BY a, d, p`,
    );
    const found = await select(
      `SELECT ${keys}, toUnixTimestamp(period) AS p, [${ROLLED}] AS counts FROM recipient_counts_by_${level} GROUP BY a, d, p ORDER BY a, d, p`,
    );
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(0);
    if (level !== 'quarter' && level !== 'day') continue;
    const groups = `[('provider', provider), ('ip', ip), ('host', host), ('bounce_class', bounce_class), ('api_key', api_key),
      if(mapContains(tags, 'campaign'), ('tag:campaign', tags['campaign']), ('', '')),
      if(mapContains(tags, 'list'), ('tag:list', 'none'), ('', ''))]`;
    const expectedGroups = await select(
      `SELECT ${keys}, pair.1 AS g, if(g = 'tag:list', '', pair.2) AS v, ${of}, [${COUNTS}] AS counts FROM recipient_events
        ARRAY JOIN arrayMap(pair -> (toString(pair.1), toString(pair.2)), ${groups}) AS pair
        WHERE counter != '' AND pair.2 != '' GROUP BY a, d, g, v, p ORDER BY a, d, g, v, p`,
    );
    const foundGroups = await select(
      `SELECT ${keys}, toString(dimension) AS g, value AS v, toUnixTimestamp(period) AS p, [${ROLLED}] AS counts
         FROM recipient_groups_by_${level} GROUP BY a, d, g, v, p ORDER BY a, d, g, v, p`,
    );
    expect(foundGroups).toEqual(expectedGroups);
    expect(foundGroups.length).toBeGreaterThan(0);
  }
}
