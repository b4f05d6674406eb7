export { BOT_RULES, botVerdict, type BotVerdict, type Visit } from './bot-verdict.js';
export { rewriteHtml, type HtmlRewriting } from './rewrite-html.js';
export { readTokenText } from './token-text.js';
export {
  canonicalHost,
  MAX_TARGET_BYTES,
  TrackingLinks,
  type TrackedLink,
  type TrackedRecipient,
} from './tracking-link.js';
