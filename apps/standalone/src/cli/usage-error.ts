/** The command line cannot be understood; the sentence says why. */
export class UsageError extends Error {}
