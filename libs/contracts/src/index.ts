export * from './domain-stats.js';
export * from './email-status.js';
export * from './events.js';
export * from './ids.js';
export * from './limits.js';
export * from './page.js';
export * from './refusals.js';
export * from './scopes.js';
