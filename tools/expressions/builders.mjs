// Executes every `new RegExp` of the product, so that the expressions which it builds are analysed like literals. A file
// whose expressions are all built when it is loaded has an empty builder.
const LOADED = () => undefined;
const latin1 = (text) => Buffer.from(text, 'latin1');
const htmlPart = (text) => ({ type: 'text/html', parameters: new Map(), fields: [], body: latin1(text) });

/** By source file: calls the functions of the module that build expressions, with every kind of value. */
export const BUILDERS = {
  'apps/gateway/src/http/body/parse-json.ts': LOADED,
  'apps/gateway/src/openapi/path-parameters.ts': LOADED,
  'apps/gateway/src/resend/resend-logs.controller.ts': LOADED,
  'libs/accounts/src/api-keys/token.ts': LOADED,
  'libs/domains/src/dkim/dkim-zone.ts': ({ DkimZone }) => DkimZone.line({ name: 'a.example', value: 'v=DKIM1' }),
  'libs/domains/src/model/domain-rules.ts': LOADED,
  'libs/domains/src/spf/spf-macro.ts': ({ expandMacros }) => {
    const context = { domain: 'a.example', sender: 'a@a.example', helo: 'a.example', address: { kind: () => 'ipv4' } };
    for (const delimiters of [...'-.+,/_=', '-.+,/_=']) expandMacros(`%{d${delimiters}}`, context);
  },
  'libs/kernel/src/config/setting-parsers.ts': LOADED,
  'libs/mime/src/reports/find-address.ts': LOADED,
  'libs/mime/src/reports/part-text.ts': ({ partLines }) => {
    for (const name of ['style', 'script', 'head', 'title']) partLines(htmlPart(`<${name}>`));
  },
  'libs/mime/src/reports/phrases.ts': LOADED,
  'libs/mime/src/reports/quoted-reply.ts': ({ readQuotedReply }) => {
    for (const text of ['a', '550 5.1.1 a']) readQuotedReply(text);
  },
  'libs/mime/src/reports/text-bounce-recipients.ts': LOADED,
  // Builds the patterns of all data files: the first two are read when their modules are loaded.
  'libs/mta/src/json-reader.ts': async (_module, load) => {
    await load('libs/mta/src/replies/reply-rules.ts');
    const { readThrottlingPlan } = await load('libs/mta/src/throttling/plan/read-throttling-plan.ts');
    readThrottlingPlan({ heloName: 'a.example' });
  },
  'libs/mta/src/replies/reply-phrases.ts': LOADED,
  'libs/mta/src/replies/reply-rules.ts': LOADED,
  'libs/mta/src/replies/reply-text.ts': LOADED,
  'libs/mta/src/replies/retry-hint.ts': LOADED,
};
