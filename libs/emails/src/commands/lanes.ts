/** Deletions that one process runs at once, each on a connection and on a processor of the database. */
const LANES = 4;

/** The number of rows that all lanes have deleted. @throws the first failure, when all lanes have ended */
export async function inLanes(lane: () => Promise<number>): Promise<number> {
  const ends = await Promise.allSettled(Array.from({ length: LANES }, lane));
  let deleted = 0;
  for (const end of ends) {
    if (end.status === 'rejected') throw end.reason;
    deleted += end.value;
  }
  return deleted;
}
