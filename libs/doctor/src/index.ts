export type { Check, CheckResult } from './check.js';
export { CHECKS } from './checks/index.js';
export { DoctorModule } from './doctor.module.js';
export { DoctorRuns, type DoctorRun } from './doctor-runs.js';
export { reportText } from './report-text.js';
export { runChecks } from './run-checks.js';
export { serviceZone, type ServiceZone } from './service-zone.js';
