export { Config, ConfigError, loadConfig, PROGRAMS, SETTINGS, type Program } from './config.js';
export type { SmtpOutTimeouts } from './setting-parsers.js';
export { Health, type HealthCheck } from './health.js';
export { KernelModule, type KernelParts } from './kernel.module.js';
export { Log } from './log.js';
export { Metrics } from './metrics.js';
export { SecretBox } from './secret-box.js';
export { Shutdown, SHUTDOWN_STAGES, type ShutdownStage } from './shutdown.js';
export { Wakeups, type WakeupTopic } from './wakeups.js';
