export { TlsReportsModule } from './tls-reports.module.js';
export type { TlsReport } from './tls-report.js';
export { TlsReporter } from './tls-reporter.js';
export { tlsReportOf, TlsResults } from './tls-results.js';
