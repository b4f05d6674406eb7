export { botVerdict, type BotVerdict } from './bot-verdict.js';
export { rewriteHtml } from './rewrite-html.js';
export { scanHtml, type HtmlHandlers } from './scan-html.js';
export { readTokenText } from './token-text.js';
export { canonicalHost, TrackingLinks, type TrackedLink, type TrackedRecipient } from './tracking-link.js';
