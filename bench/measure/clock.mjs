// The clock of all benchmark processes: the monotonic clock of the system.

/** @returns {number} milliseconds, comparable between processes of this machine */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
