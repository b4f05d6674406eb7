/** Lets everything else that waits in this process go first: long work stops here now and then. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
