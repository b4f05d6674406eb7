export { backoffMs, sleep } from './concurrency/backoff.js';
export { yielding } from './concurrency/event-loop.js';
export { LocalNotifications } from './concurrency/local-notifications.js';
export { LoopBudget } from './concurrency/loop-budget.js';
export { Poller } from './concurrency/poller.js';
export { KeyedRateLimit, TokenBucket, type RateLimitResult } from './concurrency/rate-limit.js';
export { KeyedSemaphore, Semaphore } from './concurrency/semaphore.js';
export { withTimeout } from './concurrency/timeout.js';
export { TtlCache, TtlMap } from './concurrency/ttl-cache.js';
export { WakeSignal } from './concurrency/wake-signal.js';
export {
  Config,
  ConfigError,
  InvalidSettings,
  configWarnings,
  DEFAULT_SERVICE_DOMAIN,
  loadConfig,
  type Program,
} from './config/config.js';
export { certificateFindings } from './config/certificate-findings.js';
export { tlsFiles, type TlsFiles } from './config/tls-files.js';
export { KernelModule, type KernelParts } from './kernel.module.js';
export { Log } from './logging/log.js';
export { NestLog } from './logging/nest-log.js';
export { ChunkList } from './memory/chunk-list.js';
export { MemoryBudget } from './memory/memory-budget.js';
export { AddressRanges, isPublicAddress } from './network/address-ranges.js';
export { clientNetwork } from './network/client-network.js';
export { ConnectionLimiter, connectionLimits, type Admission } from './network/connection-limits.js';
export { FailureLimit } from './network/failure-limit.js';
export { isLoopbackHost } from './network/loopback-host.js';
export { parseUrl } from './network/parse-url.js';
export { plainAddress } from './network/plain-address.js';
export { trustedProxies, type ProxyCheck } from './network/trusted-proxies.js';
export { databaseClock, type ClockStep } from './operations/database-clock.js';
export { Health } from './operations/health.js';
export { Metrics } from './operations/metrics.js';
export { startOpsServer } from './operations/ops-server.js';
export { Shutdown } from './operations/shutdown.js';
export { tracing } from './operations/tracing.js';
export { SecretBox } from './secret-box.js';
export { VERSION } from './operations/version.js';
