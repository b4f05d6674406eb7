import { buildSchema, parse, validate, type DocumentNode } from 'graphql';
import { loadConfig } from '#libs/kernel';
import { parseCommandLine } from '../../../apps/cli/src/commands/parse-command-line.js';
import { queryRules as documentRules } from '../../../apps/gateway/src/graphql/checks/query-limits.js';
import { bodyLimitsOf } from '../../../apps/gateway/src/http/body/body-limits.js';
import { checkJsonLimits } from '../../../apps/gateway/src/http/body/json-limits.js';
import { parseLargeJson, parseSmallJson } from '../../../apps/gateway/src/http/body/parse-json.js';
import { bearerToken, clientAddress } from '../../../apps/gateway/src/http/caller.js';
import { requireReadableBody } from '../../../apps/gateway/src/http/request-guard.js';
import { redactedPath, redactedUserAgent } from '../../../apps/gateway/src/http/request-log-redaction.js';
import { RouteTable, routedUrl } from '../../../apps/gateway/src/http/route-table.js';
import { resendAttachmentsRule } from '../../../apps/gateway/src/resend/emails/resend-attachments.js';
import { parseResendSchedule, resendScheduleRule } from '../../../apps/gateway/src/resend/emails/resend-schedule.js';
import { fromResendId, toResendId } from '../../../apps/gateway/src/resend/resend-id.js';
import { resendHostUrl } from '../../../apps/gateway/src/resend/resend-route.js';
import { SendEmailDto } from '../../../apps/gateway/src/rest/emails/send-email.dto.js';
import { PageQuery } from '../../../apps/gateway/src/rest/list.dto.js';
import * as statsRules from '../../../apps/gateway/src/rest/stats/stats-rules.js';
import { parseBody } from '../../../apps/gateway/src/rest/validation/body-pipe.js';
import { QueryPipe } from '../../../apps/gateway/src/rest/validation/query-pipe.js';
import * as queryRules from '../../../apps/gateway/src/rest/validation/query-rules.js';
import { maskedAddress } from '../../../apps/gateway/src/tracking/unsubscribe-page.js';
import * as accountRules from '../../../libs/accounts/src/account-rules.js';
import * as apiKeyRules from '../../../libs/accounts/src/api-keys/field-rules.js';
import { tokenFormat } from '../../../libs/accounts/src/api-keys/token.js';
import { newPasswordRule, normaliseEmail, userRules } from '../../../libs/users/src/user-rules.js';
import { isId } from '../../../libs/contracts/src/ids.js';
import { parseSimulation, sandboxResultRule } from '../../../libs/contracts/src/simulator.js';
import { parseTimestamp } from '../../../libs/contracts/src/timestamp.js';
import * as domainRules from '../../../libs/domains/src/model/domain-rules.js';
import {
  extensionOf,
  filenameProblems,
  isExecutableEntry,
  isExecutableName,
} from '../../../libs/emails/src/intake/attachments/attachment-names.js';
import {
  attachmentProblems,
  forbiddenAttachments,
} from '../../../libs/emails/src/intake/attachments/attachment-rules.js';
import {
  ATTACHMENT_TYPES,
  startsAsProgram,
  typeByContent,
} from '../../../libs/emails/src/intake/attachments/attachment-types.js';
import {
  endsAsZip,
  escapesFolder,
  readZipDirectory,
} from '../../../libs/emails/src/intake/attachments/zip-contents.js';
import { withoutDuplicates } from '../../../libs/emails/src/intake/recipients.js';
import * as optionRules from '../../../libs/emails/src/intake/rules/option-rules.js';
import * as submissionRules from '../../../libs/emails/src/intake/rules/submission-rules.js';
import { simulatedOutcome } from '../../../libs/emails/src/message/simulator.js';
import { ReturnPath } from '../../../libs/emails/src/message/return-path.js';
import { UnsubscribeLink } from '../../../libs/emails/src/message/unsubscribe-link.js';
import { firstLink, readContent } from '../../../libs/emails/src/queries/email-content.js';
import * as settings from '../../../libs/kernel/src/config/setting-parsers.js';
import { sourceMappedStack } from '../../../libs/kernel/src/logging/source-mapped-stack.js';
import { targetUrlProblems } from '../../../libs/safe-fetch/src/target-url.js';
import {
  suppressionAddressesRule,
  suppressionEntriesRule,
  suppressionIdsRule,
} from '../../../libs/suppressions/src/entries/bulk-rules.js';
import * as suppressionRules from '../../../libs/suppressions/src/entries/field-rules.js';
import { retryAfterMs } from '../../../libs/webhooks/src/delivery/attempt-outcome.js';
import { signatureHeaders } from '../../../libs/webhooks/src/delivery/signature.js';
import * as webhookRules from '../../../libs/webhooks/src/endpoints/field-rules.js';
import { checkHost } from '../../../libs/domains/src/spf/check-host.js';
import { replaceHtml } from '../../../libs/mime/src/compose/replace-html.js';
import { botVerdict } from '../../../libs/tracking/src/bot-verdict.js';
import { TrackingLinks } from '../../../libs/tracking/src/tracking-link.js';
import { readTokenText } from '../../../libs/tracking/src/token-text.js';
import { safeCss } from '../../../libs/emails/src/preview/safe-css.js';
import { safeHtml } from '../../../libs/emails/src/preview/safe-html.js';
import { rewriteHtml } from '../../../libs/tracking/src/rewrite-html.js';
import { readUnsubscribeUris } from '../../../libs/emails/src/message/tracking/unsubscribe-uris.js';
import { matchesLinkPattern } from '../../../libs/emails/src/message/tracking/link-patterns.js';
import { relaxedBodyHash } from '../../../libs/mime/src/dkim/relaxed-body-hash.js';
import { readSuppressionCsv } from '../../../libs/suppressions/src/entries/suppression-csv.js';
import { parseMessage } from '../../../apps/smtp/src/submission/submitted-message.js';
import {
  anyShape,
  latin1,
  octets,
  utf8,
  type Parser,
  type ParserTable,
  type YieldingParserTable,
} from './parser-table.js';

type Rule = (value: unknown) => unknown;

/** The rules that a module exports, each for a value of any shape. Rules with options are listed one by one. */
function rulesOf(module: Readonly<Record<string, unknown>>, withOptions: Readonly<Record<string, Rule>> = {}) {
  const plain = Object.entries(module).filter(
    (entry): entry is [string, Rule] => entry[0].endsWith('Rule') && typeof entry[1] === 'function',
  );
  return Object.fromEntries([...plain, ...Object.entries(withOptions)].map(([name, rule]) => [name, anyShape(rule)]));
}

const config = loadConfig('standalone', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64') });
const returnPath = new ReturnPath(config);
const unsubscribeLink = new UnsubscribeLink(config);
const trackingLinks = new TrackingLinks(Buffer.alloc(32, 7));
const routes = new RouteTable();
routes.add({ method: 'GET', url: '/emails/:id/events' });
const { json } = bodyLimitsOf(undefined);
const schema = buildSchema('type Query { a(b: String): Query, c: String }');
const headers =
  (name: string): Parser =>
  (text) =>
    requireReadableBody({ headers: { 'content-length': '1', [name]: text } }, { type: 'application/json', bytes: 10 });

/** As the GraphQL server handles a document: bounded parsing, then the rules of the query. */
function readDocument(text: string): unknown {
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens: 2_000 });
  } catch (error) {
    return error;
  }
  return validate(schema, document, documentRules({ depth: 12, aliases: 15 }));
}

const parts = (html: string) => utf8(JSON.stringify({ html, headers: [], attachments: [] }));
const FIELDS = ['html', 'subject', 'from', 'to', 'reply_to', 'headers', 'tags', 'scheduled_at', 'attachments'];
const QUERY = { is404: false, url: '/', params: {}, routeOptions: { url: '/emails/:id' } };

/** Parsers of HTTP requests, WebSocket messages, settings and the values in them. */
export const REQUEST_PARSERS: ParserTable = {
  'apps/gateway/src/http/caller.ts': {
    bearerToken: [bearerToken, (text) => bearerToken(`Bearer ${text}`)],
    clientAddress: (text) =>
      clientAddress(
        { socket: { remoteAddress: '127.0.0.1' }, headers: { 'x-forwarded-for': text } } as unknown as Parameters<
          typeof clientAddress
        >[0],
        () => true,
      ),
  },
  'apps/gateway/src/http/request-guard.ts': {
    requireReadableBody: ['content-type', 'content-encoding', 'content-length', 'transfer-encoding'].map(headers),
  },
  'apps/gateway/src/http/route-table.ts': { routedUrl, methodsFor: (text) => routes.methodsFor(text) },
  'apps/gateway/src/http/request-log-redaction.ts': {
    redactedPath: [
      (text) => redactedPath({ ...QUERY, is404: true, url: text }),
      (text) => redactedPath({ ...QUERY, params: { id: text } }),
    ],
    redactedUserAgent: [redactedUserAgent, (text) => redactedUserAgent(text.slice(0, 256))],
  },
  'apps/gateway/src/http/body/json-limits.ts': { checkJsonLimits: (text) => checkJsonLimits(utf8(text), json) },
  'apps/gateway/src/http/body/parse-json.ts': {
    parseSmallJson: ['', '"', '{"', '{"a":', '[', '{"a":"'].map(
      (head) => (text) => parseSmallJson(utf8(head + text), json),
    ),
  },
  'apps/gateway/src/rest/validation/body-pipe.ts': {
    parseBody: FIELDS.map((name) => anyShape((value) => parseBody({ [name]: value }, SendEmailDto))),
  },
  'apps/gateway/src/rest/validation/query-pipe.ts': {
    QueryPipe: (text) =>
      [{ [text]: 'a' }, { after: text }, { limit: text }, { [`tags[${text}]`]: text }].map((query) =>
        attempt(() => new QueryPipe().transform(query, { type: 'query', metatype: PageQuery })),
      ),
  },
  'apps/gateway/src/rest/validation/query-rules.ts': rulesOf(queryRules, {
    idRule: queryRules.idRule('em'),
    oneOfRule: queryRules.oneOfRule(['a']),
  }),
  'apps/gateway/src/rest/stats/stats-rules.ts': rulesOf(statsRules, {
    listOfValuesRule: statsRules.listOfValuesRule(['a']),
    listOfIdsRule: statsRules.listOfIdsRule('dom'),
    groupsRule: statsRules.groupsRule(['a']),
  }),
  'apps/gateway/src/resend/resend-id.ts': { toResendId, fromResendId: (text) => fromResendId('em', text) },
  'apps/gateway/src/resend/resend-route.ts': {
    resendHostUrl: [
      (text) => resendHostUrl(text, 'a.example', 'a.example'),
      (text) => resendHostUrl('/', text, 'a.example'),
    ],
  },
  'apps/gateway/src/resend/emails/resend-schedule.ts': {
    parseResendSchedule: ['', 'in ', 'in 5', 'today at ', 'tomorrow'].map(
      (head) => (text) => parseResendSchedule(head + text),
    ),
    resendScheduleRule,
  },
  'apps/gateway/src/resend/emails/resend-attachments.ts': { resendAttachmentsRule: anyShape(resendAttachmentsRule) },
  'apps/gateway/src/graphql/checks/query-limits.ts': {
    queryRules: ['', '{ a ', '{ a(b: "', 'query ', '{ ', '{ c }'].map((head) => (text) => readDocument(head + text)),
  },
  'apps/gateway/src/tracking/unsubscribe-page.ts': { maskedAddress },
  'apps/cli/src/commands/parse-command-line.ts': { parseCommandLine: (text) => parseCommandLine([text, text]) },
  'libs/accounts/src/account-rules.ts': rulesOf(accountRules),
  'libs/accounts/src/api-keys/token.ts': { tokenFormat: [tokenFormat, (text) => tokenFormat(`pl_live_${text}`)] },
  'libs/accounts/src/api-keys/field-rules.ts': rulesOf(apiKeyRules),
  'libs/users/src/user-rules.ts': {
    userRules: Object.values(userRules).map(anyShape),
    newPasswordRule: anyShape(newPasswordRule),
    normaliseEmail,
  },
  'libs/contracts/src/ids.ts': { isId: [(text) => isId('em', text), (text) => isId('em', `em_${text}`)] },
  'libs/contracts/src/simulator.ts': {
    parseSimulation: [parseSimulation, (text) => parseSimulation(`slow+${text}`)],
    sandboxResultRule: anyShape(sandboxResultRule),
  },
  'libs/contracts/src/timestamp.ts': {
    parseTimestamp: [parseTimestamp, (text) => parseTimestamp(`2026-01-31T09:30:00.${text}Z`)],
  },
  'libs/domains/src/model/domain-rules.ts': {
    ...rulesOf(domainRules),
    isDomainName: domainRules.isDomainName,
    normaliseDomainName: domainRules.normaliseDomainName,
  },
  'libs/emails/src/intake/attachments/attachment-names.ts': {
    filenameProblems: [(text) => filenameProblems(text, ''), (text) => filenameProblems(`${text}.pdf`, '')],
    extensionOf: [extensionOf, (text) => extensionOf(`a.${text}`)],
    isExecutableName: (text) => isExecutableName(text),
    isExecutableEntry: (text) => isExecutableEntry(text),
  },
  'libs/emails/src/intake/attachments/attachment-rules.ts': {
    attachmentProblems: ['filename', 'content', 'path', 'content_type', 'content_id'].flatMap((name) => [
      (text: string) => attachmentProblems([{ filename: 'a.pdf', content: 'YQ==', [name]: text }]),
      (text: string) =>
        attachmentProblems([{ filename: 'a.pdf', content: 'YQ==', [name]: `text/plain; charset=${text}` }]),
    ]),
    forbiddenAttachments: ATTACHMENT_TYPES.map(
      ({ mime, extensions: [extension] }) =>
        (text) =>
          forbiddenAttachments([{ filename: `a.${extension}`, contentType: mime, content: latin1(text) }]),
    ),
  },
  'libs/emails/src/intake/attachments/attachment-types.ts': {
    typeByContent: ['', '%PDF', '\x89PNG\r\n\x1a\n', 'GIF89a', '<', 'PK\x03\x04'].map(
      (head) => (text) => typeByContent(latin1(head + text)),
    ),
    startsAsProgram: octets(startsAsProgram),
  },
  'libs/emails/src/intake/attachments/zip-contents.ts': {
    readZipDirectory: [
      octets(readZipDirectory),
      (text) => readZipDirectory(latin1(`PK\x03\x04${text}PK\x05\x06${'\0'.repeat(18)}`)),
      (text) => readZipDirectory(latin1(`PK\x03\x04${text}`.slice(0, 65_000) + 'PK\x05\x06'.repeat(50_000))),
    ],
    endsAsZip: octets(endsAsZip),
    escapesFolder,
  },
  'libs/emails/src/intake/recipients.ts': {
    withoutDuplicates: (text) =>
      withoutDuplicates({
        to: [{ address: text, name: '' }],
        cc: [{ address: `${text}@a`, name: '' }],
        bcc: [],
      } as unknown as Parameters<typeof withoutDuplicates>[0]),
  },
  'libs/emails/src/intake/rules/option-rules.ts': rulesOf(optionRules, {
    listUnsubscribeRule: (value) =>
      ['url', 'mailto', 'one_click'].map((name) => optionRules.listUnsubscribeRule({ [name]: value })),
  }),
  'libs/emails/src/intake/rules/submission-rules.ts': {
    ...rulesOf(submissionRules),
    isIdempotencyKey: (text) => submissionRules.isIdempotencyKey(text),
  },
  'libs/emails/src/message/simulator.ts': {
    simulatedOutcome: (text) =>
      simulatedOutcome({
        address: `${text}@sim.a.example`,
        serviceDomain: 'a.example',
        test: true,
        sandboxResult: text,
      }),
  },
  'libs/emails/src/message/return-path.ts': {
    ReturnPath: [
      (text) => returnPath.read(text),
      (text) => returnPath.read(`b+${text}@bounces.a.example`),
      (text) => returnPath.readTrace(text),
    ],
  },
  'libs/emails/src/message/unsubscribe-link.ts': { UnsubscribeLink: (text) => unsubscribeLink.read(text) },
  'libs/emails/src/queries/email-content.ts': {
    firstLink: ['', '<a ', '<a href=', '<a href="'].map(
      (head) => (text) => firstLink({ format: 'parts', body: parts(head + text) }),
    ),
    readContent: (text) => readContent('em_1', { format: 'mime', body: latin1(text) }),
  },
  'libs/emails/src/preview/safe-css.ts': {
    safeCss: ['', 'a:url(', '@', '/*', '"'].map((head) => (text) => safeCss(head + text)),
  },
  'libs/emails/src/message/tracking/link-patterns.ts': {
    matchesLinkPattern: [
      (text) => matchesLinkPattern([text], `https://a.example/${text}`),
      (text) => matchesLinkPattern(['*a*a*a*b*/*'.repeat(20)], `https://a.example/${text}`),
    ],
  },
  'libs/tracking/src/tracking-link.ts': {
    TrackingLinks: [
      (text) => trackingLinks.readOpen(text),
      (text) => trackingLinks.readClick(text.slice(0, 5_000), text),
      (text) => trackingLinks.readUnboundClick(text.slice(0, 5_000)),
    ],
  },
  'libs/tracking/src/token-text.ts': { readTokenText },
  'libs/emails/src/message/tracking/unsubscribe-uris.ts': {
    readUnsubscribeUris: (text) => readUnsubscribeUris([text, `<${text}>`]),
  },
  'libs/tracking/src/bot-verdict.ts': {
    botVerdict: (text) =>
      botVerdict({ kind: 'open', method: text, address: text, headers: { 'user-agent': text, 'x-purpose': text } }),
  },
  'libs/kernel/src/config/setting-parsers.ts': Object.fromEntries(
    Object.entries({
      ...{
        port: settings.port,
        wholeNumber: settings.wholeNumber(1, 2),
        oneOf: settings.oneOf('a'),
        flag: settings.flag,
      },
      ...{ duration: settings.duration, longDuration: settings.longDuration, proxies: settings.proxies },
      ...{ list: settings.list, longDurations: settings.longDurations, domainName: settings.domainName },
      ...{ domainNames: settings.domainNames, dnsServers: settings.dnsServers, masterKey: settings.masterKey },
      bootstrapKey: settings.bootstrapKey,
      url: (text: string) => settings.url('https')(`https://a.example/${text}`),
      smtpOutTimeouts: settings.smtpOutTimeouts({} as Parameters<typeof settings.smtpOutTimeouts>[0]),
    }),
  ),
  'libs/kernel/src/logging/source-mapped-stack.ts': {
    sourceMappedStack: ['', 'file://', 'file:///dist/', 'file://s/dist/'.repeat(20_000)].map(
      (head) => (text) => sourceMappedStack(head + text),
    ),
  },
  'libs/safe-fetch/src/target-url.ts': {
    targetUrlProblems: ['', 'https://', 'https://a.example/', 'https://['].map(
      (head) => (text) =>
        [head + text, (head + text).slice(0, 2_000)].map((url) => targetUrlProblems(url, { allowPrivate: false })),
    ),
  },
  'libs/suppressions/src/entries/bulk-rules.ts': rulesOf({
    suppressionAddressesRule,
    suppressionEntriesRule,
    suppressionIdsRule,
  }),
  'libs/suppressions/src/entries/field-rules.ts': rulesOf(suppressionRules),
  'libs/webhooks/src/delivery/attempt-outcome.ts': {
    retryAfterMs: [(text) => retryAfterMs(text, 0), (text) => retryAfterMs(`Mon${text}`, 0)],
  },
  'libs/webhooks/src/delivery/signature.ts': {
    signatureHeaders: (text) => signatureHeaders([`whsec_${text}`], { id: text, timestamp: 1, body: text }),
  },
  'libs/webhooks/src/endpoints/field-rules.ts': rulesOf(webhookRules, {
    webhookUrlRule: (value) => webhookRules.webhookUrlRule(value, { allowPrivate: false }),
  }),
};

const found = (text: string) => Promise.resolve({ kind: 'found' as const, values: [text] });

/** Parsers that yield to the event loop. */
export const YIELDING_PARSERS: YieldingParserTable = {
  'apps/gateway/src/http/body/parse-json.ts': {
    parseLargeJson: (text) => parseLargeJson(utf8(`{"a":"b"${text}`), json),
  },
  'apps/smtp/src/submission/submitted-message.ts': {
    parseMessage: (text) =>
      parseMessage(latin1(`From: a@a.example\r\nTo: ${text.slice(0, 60_000)}\r\n\r\n${text}`), 'postloft.test'),
  },
  'libs/domains/src/spf/check-host.ts': {
    checkHost: (text) =>
      checkHost(
        { address: '192.0.2.1', domain: 'a.example', helo: text },
        { texts: () => found(`v=spf1 ${text}`), addresses: found, mx: found },
      ),
  },
  'libs/mime/src/dkim/relaxed-body-hash.ts': { relaxedBodyHash: (text) => relaxedBodyHash(latin1(text)) },
  'libs/mime/src/compose/replace-html.ts': {
    replaceHtml: (text) =>
      replaceHtml(latin1(`Content-Type: text/html\r\n\r\n${text}`), (html) => Promise.resolve(`${html} `)),
  },
  'libs/emails/src/preview/safe-html.ts': {
    safeHtml: (text) => Promise.all(['', '<style>'].map((head) => safeHtml(head + text))),
  },
  'libs/tracking/src/rewrite-html.ts': {
    rewriteHtml: (text) => rewriteHtml(`<a href="${text}`, { link: (href) => href, append: '<p>' }),
  },
  'libs/suppressions/src/entries/suppression-csv.ts': {
    readSuppressionCsv: (text) => readSuppressionCsv(utf8(`email,reason\r\n${text}`)),
  },
};

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
