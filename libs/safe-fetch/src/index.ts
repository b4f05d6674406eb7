export { connectionFailure, type ConnectionFailure, type FetchFailure, type PermitFailure } from './fetch-failure.js';
export { type Requester } from './fetch-permits.js';
export { pinnedConnector } from './pinned-connector.js';
export { SafeFetch } from './safe-fetch.js';
export { TargetResolver } from './target-resolver.js';
export { targetUrlProblems } from './target-url.js';
