import type { MxScript } from '../../support/mail-servers/scripted-mx.js';

interface Dialogue {
  name: string;
  host: MxScript;
  /** Outcome, certainty, phase and code (or enhanced code) of the first attempt. */
  expected: string;
  /** Class and type of the bounce; absent where nothing may bounce. */
  means?: string;
}

/** `said`: the moment, and the words of the server then. */
const refusal = (said: string, expected: string, means?: string): Dialogue => {
  const colon = said.indexOf(': ');
  return {
    name: said.replaceAll('\r\n', ' / '),
    host: { on: { [said.slice(0, colon)]: said.slice(colon + 2) } },
    expected,
    ...(means === undefined ? {} : { means }),
  };
};

const withoutEhlo = (reply: string, expected: string): Dialogue => ({
  name: `ehlo and helo: ${reply}`,
  host: { on: { ehlo: reply, helo: reply } },
  expected,
});

/** What servers say instead of yes, and what it means: 5xx per RFC 3463 and the words, anything unclear is temporary. */
export const DIALOGUES: readonly Dialogue[] = [
  refusal('banner: 554 5.7.1 go away', 'deferred answered greeting 554'),
  refusal('banner: 554-no\r\n554 service here', 'deferred answered greeting 554'),
  refusal('banner: 450 4.3.2 busy', 'deferred answered greeting 450'),
  refusal('banner: HTTP/1.1 400 Bad Request', 'deferred answered greeting'),
  refusal('banner: 354 strange', 'deferred answered greeting 354'),
  withoutEhlo('550 5.7.1 go away', 'deferred answered ehlo 550'),
  withoutEhlo('451 4.3.0 later', 'deferred answered ehlo 451'),
  withoutEhlo('hello', 'deferred answered ehlo'),
  refusal('mail: 550 5.7.1 blocked for spam', 'bounced mail 550', 'policy soft'),
  refusal('mail: 553 we would rather not', 'bounced mail 553', 'undetermined undetermined'),
  refusal('mail: 451 4.1.8 sender domain is not known', 'deferred answered mail 451'),
  refusal('mail: 250-fine\r\n550 not fine', 'deferred answered mail'),
  refusal('mail: 354 go on', 'deferred answered mail 354'),
  refusal('mail: fine', 'deferred answered mail'),
  refusal('rcpt: 550 5.1.1 no such user', 'bounced rcpt 550', 'invalid_recipient hard'),
  refusal('rcpt: 550-5.1.1 no such\r\n550 5.1.1 user', 'bounced rcpt 550', 'invalid_recipient hard'),
  refusal('rcpt: 550 user unknown', 'bounced rcpt 550', 'invalid_recipient hard'),
  refusal('rcpt: 550', 'bounced rcpt 550', 'undetermined undetermined'),
  refusal('rcpt: 550 5.2.1 mailbox disabled', 'bounced rcpt 550', 'inactive_mailbox hard'),
  refusal('rcpt: 552 5.2.2 mailbox full', 'bounced rcpt 552', 'quota soft'),
  refusal('rcpt: 550 5.7.26 unauthenticated mail', 'bounced rcpt 550', 'authentication soft'),
  refusal('rcpt: 550 5.7.1 your address is on a blocklist', 'bounced rcpt 550', 'policy soft'),
  refusal('rcpt: 556 5.1.10 takes no mail', 'bounced rcpt 556', 'bad_domain hard'),
  refusal('rcpt: 599 what is this', 'bounced rcpt 599', 'undetermined undetermined'),
  refusal('rcpt: 450 5.1.1 a code that does not know what it wants', 'deferred answered rcpt 450'),
  refusal('rcpt: 452 4.2.2 mailbox full', 'deferred answered rcpt 452'),
  refusal('rcpt: 550-4.7.1 not\r\n451 4.7.1 the same', 'deferred answered rcpt 4.7.1'),
  refusal('rcpt: 354 go on', 'deferred answered rcpt 354'),
  refusal('rcpt: 600 more than there is', 'deferred answered rcpt'),
  refusal('rcpt: \u0000\u0001\u00ff', 'deferred answered rcpt'),
  refusal('data: 554 5.7.1 no', 'bounced data 554', 'policy soft'),
  refusal('data: 554 no valid recipients', 'bounced data 554', 'content soft'),
  refusal('data: 451 4.3.0 later', 'deferred answered data 451'),
  refusal('data: 250 fine', 'deferred answered data 250'),
  refusal('data: go on', 'deferred answered data'),
  refusal('dot: 554 5.6.0 bad content', 'bounced dot 554', 'content soft'),
  refusal('dot: 550-5.7.1 looks\r\n550-5.7.1 like\r\n550 5.7.1 spam', 'bounced dot 550', 'policy soft'),
  refusal('dot: 552 5.3.4 too large', 'bounced dot 552', 'too_large soft'),
  refusal('dot: 452 4.3.1 disk full', 'deferred answered dot 452'),
  refusal('dot: 354 go on and on', 'deferred answered dot 354'),
  refusal('dot: 250-taken\r\n451 not taken', 'deferred answered dot'),
  refusal('dot: thanks', 'deferred answered dot'),
];
