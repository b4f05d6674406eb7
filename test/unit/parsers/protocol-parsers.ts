import ipaddr from 'ipaddr.js';
import { parseServer } from '../../../libs/dns/src/dns-exchange.js';
import { reversedAddress } from '../../../libs/dns/src/dns-name.js';
import { DkimZone } from '../../../libs/domains/src/dkim/dkim-zone.js';
import { expandMacros } from '../../../libs/domains/src/spf/spf-macro.js';
import { lookupTerms } from '../../../libs/domains/src/spf/spf-lookups.js';
import { isSpf, readSpf, readTerm } from '../../../libs/domains/src/spf/spf-record.js';
import { judgeSpf } from '../../../libs/domains/src/spf/spf-rule.js';
import { judgeDkim, readTagList } from '../../../libs/domains/src/verification/dkim-rule.js';
import { dmarcNames } from '../../../libs/domains/src/verification/dmarc-rule.js';
import { nextFinding } from '../../../libs/domains/src/verification/finding.js';
import { judgeAnswer, verified } from '../../../libs/domains/src/verification/judgement.js';
import { classifyBounce } from '../../../libs/inbound/src/classify-bounce.js';
import { classifyReply, mayConcernOurLogin } from '../../../libs/mta/src/replies/reply-classifier.js';
import { foldText, printableText, splitReplyText } from '../../../libs/mta/src/replies/reply-text.js';
import { readBlockList } from '../../../libs/mta/src/replies/block-list.js';
import { retryHint } from '../../../libs/mta/src/replies/retry-hint.js';
import { toServerReply } from '../../../libs/mta/src/replies/server-reply.js';
import { readExtensions } from '../../../libs/mta/src/smtp/extensions.js';
import { isTooManyRecipients } from '../../../libs/mta/src/smtp/recipient-result.js';
import { ReplyReader } from '../../../libs/mta/src/smtp/reply-reader.js';
import { toWireAddress } from '../../../libs/mta/src/smtp/wire-address.js';
import { permitsMx, readStsPolicy, stsId } from '../../../libs/mta/src/tls/sts-policy.js';
import { causeOf } from '../../../libs/mta/src/throttling/penalty.js';
import { reportAddresses } from '../../../libs/tls-reports/src/report-addresses.js';
import { mechanismsOf } from '../../../libs/doctor/src/probes/smtp-probe.js';
import { countHops, recipientRefusal } from '../../../apps/smtp/src/inbound/inbound-checks.js';
import { AddressRanges, isPublicAddress } from '../../../libs/kernel/src/network/address-ranges.js';
import { parseUrl } from '../../../libs/kernel/src/network/parse-url.js';
import { clientNetwork } from '../../../libs/kernel/src/network/client-network.js';
import { trustedProxies } from '../../../libs/kernel/src/network/trusted-proxies.js';
import { checkedHandler, lineProblem, normaliseGreeting } from '../../../apps/smtp/src/server/command-checks.js';
import { scanData } from '../../../apps/smtp/src/server/data-reader.js';
import { correctedReply, ehloLines, isNotClientFault } from '../../../apps/smtp/src/server/replies.js';
import { latin1, octets, ofHeader, utf8, type ParserTable } from './parser-table.js';

const macroContext = {
  address: ipaddr.parse('192.0.2.1'),
  domain: 'a.example',
  sender: 'a@a.example',
  helo: 'h.example',
};
const reply = (text: string) => ({ code: 550, enhanced: '5.1.1', text });

/** The state of a connection that the checks of its commands read. */
type Connection = Parameters<typeof lineProblem>[1];
const connection = (isInLogin: boolean) =>
  ({
    isInLogin,
    secure: true,
    session: { envelope: { mailFrom: { address: 'a@a.example' } } },
    serverOptions: {},
    isCommandDisabled: () => false,
    isCommandSupported: () => true,
    send: () => undefined,
  }) as unknown as Connection;
/** Checks a command as its handler does; the text is longer than a line that reaches a handler. */
const command = (name: string, line: (text: string) => string) => (text: string) =>
  checkedHandler(name, connection(false), () => undefined)?.(utf8(line(text)), () => undefined);

/** Gives the replies of a server in pieces of this many octets. */
const inPieces = (size: number) => (text: string) => {
  const reader = new ReplyReader(
    () => undefined,
    () => undefined,
  );
  const bytes = latin1(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
};

/** Parsers of what name servers, mail servers, policy hosts and SMTP clients send. */
export const PROTOCOL_PARSERS: ParserTable = {
  'libs/dns/src/dns-exchange.ts': { parseServer },
  'libs/dns/src/dns-name.ts': { reversedAddress },
  'libs/domains/src/dkim/dkim-zone.ts': { line: (text) => DkimZone.line({ name: 'a', value: text }) },
  'libs/domains/src/spf/spf-record.ts': {
    isSpf: [isSpf, (text) => isSpf(`v=spf1${text}`)],
    readSpf: [readSpf, (text) => readSpf(`v=spf1 ${text}`), (text) => readSpf(`v=spf1 include:${text}`)],
    readTerm: [readTerm, (text) => readTerm(`ip4:${text}`), (text) => readTerm(`a/${text}`)],
  },
  'libs/domains/src/spf/spf-macro.ts': {
    expandMacros: [
      (text) => expandMacros(text, macroContext),
      (text) => expandMacros(`%{d${text}}`, macroContext),
      (text) => expandMacros('%{h1r.-}', { ...macroContext, helo: text }),
    ],
  },
  'libs/domains/src/spf/spf-lookups.ts': { lookupTerms: (text) => lookupTerms(`v=spf1 ${text}`, 'spf.example') },
  'libs/domains/src/spf/spf-rule.ts': {
    judgeSpf: [(text) => judgeSpf([text], 'spf.example'), (text) => judgeSpf([`v=spf1 ${text} -all`], 'spf.example')],
  },
  'libs/domains/src/verification/dkim-rule.ts': {
    readTagList: [readTagList, (text) => readTagList(`v=DKIM1; p=${text}`)],
    judgeDkim: ['', 'v=DKIM1; p=', 'v=DKIM1; k=', 'v=DKIM1; p=a; h=', 'v=DKIM1; p=a; s='].map(
      (head) => (text) => judgeDkim([head + text], { algorithm: 'rsa', publicKey: 'a' }),
    ),
  },
  'libs/domains/src/verification/dmarc-rule.ts': { dmarcNames },
  'libs/domains/src/verification/judgement.ts': {
    judgeAnswer: (text) => judgeAnswer({ kind: 'found', values: [text] }, (values) => verified([...values])),
  },
  'libs/domains/src/verification/finding.ts': {
    // `UncachedResolver` returns at most 4,096 characters of a value.
    nextFinding: ofHeader((text) =>
      nextFinding('spf', { outcome: { ...verified([text]), value: text }, now: new Date(0), intervalMs: 1 }),
    ),
  },
  'libs/tls-reports/src/report-addresses.ts': {
    reportAddresses: ['', 'v=TLSRPTv1', 'v=TLSRPTv1;', 'v=TLSRPTv1; rua=', 'v=TLSRPTv1; rua=mailto:'].map(
      (head) => (text) => reportAddresses([head + text]),
    ),
  },
  'libs/mta/src/tls/sts-policy.ts': {
    readStsPolicy: ['', 'mode:', 'mx: a', 'version: STSv1\nmode: enforce\nmax_age: 1\nmx: '].flatMap((head) => [
      (text: string) => readStsPolicy(head + text),
      (text: string) => readStsPolicy(`${head}${text}\rb`),
    ]),
    stsId: ['', 'v=STSv1', 'v=STSv1;', 'v=STSv1; id='].map((head) => (text) => stsId([head + text])),
    permitsMx: (text) => permitsMx({ mode: 'enforce', mx: ['*.b.example', 'a'], maxAgeSeconds: 1 }, text),
  },
  'libs/mta/src/smtp/reply-reader.ts': { ReplyReader: [inPieces(1024), inPieces(65_536)] },
  'libs/mta/src/smtp/extensions.ts': {
    readExtensions: ['', '250-a\r\n250-', '250-a\r\n250-SIZE ', '250-a\r\n250-AUTH '].flatMap((head) => [
      (text: string) => readExtensions(head + text),
      (text: string) => readExtensions(`${head}${text}\rb`),
    ]),
  },
  'libs/mta/src/smtp/wire-address.ts': {
    toWireAddress: [
      toWireAddress,
      (text) => toWireAddress(`${text}@b.example`),
      (text) => toWireAddress(`"${text}"@b.example`),
    ],
  },
  'libs/mta/src/smtp/recipient-result.ts': {
    isTooManyRecipients: (text) => isTooManyRecipients({ ...reply(text), code: 452 }),
  },
  'libs/mta/src/replies/server-reply.ts': {
    toServerReply: ['', '550 ', '550-5.1.1 '].map((head) => (text) => toServerReply({ code: 550, raw: head + text })),
  },
  'libs/mta/src/replies/reply-text.ts': { foldText, printableText, splitReplyText },
  'libs/mta/src/replies/reply-classifier.ts': {
    classifyReply: (text) => classifyReply(reply(text)),
    mayConcernOurLogin: (text) => mayConcernOurLogin(reply(text)),
  },
  'libs/mta/src/replies/block-list.ts': { readBlockList },
  'libs/mta/src/replies/retry-hint.ts': { retryHint: (text) => retryHint(text, 0) },
  'libs/mta/src/throttling/penalty.ts': {
    causeOf: (text) =>
      causeOf({
        rule: { id: 'a', blockList: 'a' },
        remoteReply: { reply: reply(text), remote: { mx: null } },
      } as Parameters<typeof causeOf>[0]),
  },
  'libs/inbound/src/classify-bounce.ts': {
    classifyBounce: (text) =>
      classifyBounce(
        {
          ...{ action: 'failed', finalRecipient: null, originalRecipient: null, status: null, smtpCode: 550 },
          ...{ text, remoteMta: text },
        },
        text,
      ),
  },
  'libs/doctor/src/probes/smtp-probe.ts': { mechanismsOf: (text) => mechanismsOf([`AUTH ${text}`]) },
  'apps/smtp/src/inbound/inbound-checks.ts': {
    countHops: octets(countHops),
    recipientRefusal: (text) => recipientRefusal({ address: text, name: '' }, 'a.example'),
  },
  'libs/kernel/src/network/parse-url.ts': { parseUrl: (text) => parseUrl(text) },
  'libs/kernel/src/network/client-network.ts': { clientNetwork: (text) => clientNetwork(text) },
  'apps/smtp/src/server/command-checks.ts': {
    lineProblem: [
      octets((line) => lineProblem(line, connection(false))),
      octets((line) => lineProblem(line, connection(true))),
      (text) => lineProblem(latin1(`AUTH PLAIN ${text}`.slice(0, 12_288)), connection(false)),
    ],
    normaliseGreeting: [octets(normaliseGreeting), (text) => normaliseGreeting(latin1(`EHLO ${text}`))],
    checkedHandler: [
      command('MAIL', (text) => `MAIL FROM:<a@a.example>${text}`),
      command('RCPT', (text) => `RCPT TO:<a@a.example>${text}`),
      command('AUTH', (text) => `AUTH PLAIN ${text}`),
    ],
  },
  'apps/smtp/src/server/data-reader.ts': { scanData: octets(scanData) },
  'apps/smtp/src/server/replies.ts': {
    correctedReply: (text) => correctedReply(550, text, true),
    ehloLines: (text) => ehloLines([text], false),
    isNotClientFault,
  },
  'libs/kernel/src/network/address-ranges.ts': { AddressRanges: AddressRanges.normalise, isPublicAddress },
  'libs/kernel/src/network/trusted-proxies.ts': { trustedProxies },
};
