export { connectionFailure, type ConnectionFailure, type FetchFailure } from './fetch-failure.js';
export { pinnedConnector } from './pinned-connector.js';
export { SafeFetch } from './safe-fetch.js';
export { TargetResolver } from './target-resolver.js';
export { targetUrlProblems } from './target-url.js';
