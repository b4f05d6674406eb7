/**
 * The condition that the row `r` of `recipients` is this worker's. Written so that no index answers it: the one of claims
 * would be read from end to end, with all that was claimed since the last vacuum, where a few rows are looked up by their
 * key. The rows to look up come with a LIMIT by parameter for the same reason: of those the planner expects few.
 */
export const claimedBy = (worker: string): string => `r.claimed_by IS NOT DISTINCT FROM ${worker}`;
