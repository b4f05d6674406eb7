// One clock for all processes of the benchmark: the system's monotonic one, which nobody sets while it is read.

/** @returns {number} milliseconds, comparable between processes of this machine */
export const now = () => Number(process.hrtime.bigint()) / 1e6;
