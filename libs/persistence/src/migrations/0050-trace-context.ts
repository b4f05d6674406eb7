/** The column of `libs/emails` that links the delivery of an email to the request that submitted it. */
export const TRACE_CONTEXT = {
  name: 'TraceContext1700000000050',
  statements: [`ALTER TABLE emails ADD trace_context text COLLATE "C", ALTER trace_context SET STATISTICS 0`],
};
