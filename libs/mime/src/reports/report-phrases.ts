/*
 * Fixed phrases by which reports in prose are recognised, in the form that `foldedLine` gives. No nested repetition and
 * bounded gaps only, so each pattern is linear in the text.
 */
const any = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'));

/** How systems open a bounce, whoever they say they are. */
export const OPENING = any(
  "\\bhi\\. this is the [^.]{1,60}\\b(?:program|server) at|i'm afraid i wasn't able to deliver your message",
  'this message was created automatically by mail delivery software|this is the (?:mail system|postfix program) at host',
  '-----(?: the following addresses had (?:permanent|transient)| transcript of session follows)',
  'did not reach (?:the following|some or all of the) (?:intended )?recipient|delivery has failed to these recipients',
  'delivery to the following recipients? (?:failed|has been delayed)|diagnostic information for administrators',
  'this is a delivery status notification from|this is an automatically generated delivery status notification',
  'had (?:permanent fatal|transient non-fatal) delivery errors|the message that you sent was undeliverable',
  '(?:your message|your document:?) .{0,300}was not delivered to:|xmail bounce: rcpt=|failed addresses follow:',
);

/** That nobody got it. */
export const FAILED = any(
  "undeliver(?:able|ed)|(?:could not|cannot|can't|couldn't|can not|not yet|not) be (?:delivered|handed)|(?:was|were|been|is) (?:not|un)[ -]?deliver|(?:wasn't|hasn't been) delivered|not been delivered",
  "(?:un|not |wasn't )able to (?:be )?deliver|fail(?:ed|ure) to deliver|deliver[a-z]{0,3} (?:has )?(?:fail|problem)|failure notice|mail (?:delivery )?fail|mail system error|error sending message",
  'returned? mail|return(?:ed|ing) (?:message )?to sender|non-?deliver|permanent (?:fatal |delivery )?(?:error|failure)|did not reach|could not be reached|failed (?:recipient|address)',
  'message (?:you sent )?(?:was |has been )?(?:blocked|rejected|refused)|has been returned|failed mail\\b|user unknown|unknown user|no such user|over ?quota|quota exceeded|mailbox (?:is )?full|mailbox unavailable|delivery status notification \\(failure|an error (?:has )?occurred while (?:trying|attempting) to deliver|error (?:delivering|sending) your (?:mail|message)|trouble delivering|(?:e?mail|message)[^.]{0,40} (?:was|has been) rejected|no valid recipients|invalid final delivery|message delivery failure',
  // German, French, Spanish, Italian, Portuguese, Dutch, Polish.
  'unzustellbar|(?:nicht|nicht mehr) (?:zugestellt|zustellbar|erreicht|ausgeliefert)|konnten? nicht [^.]{0,40}(?:zugestellt|erreicht)|fehler bei der zustellung',
  "non remis|echec de (?:la )?remise|n'a (?:pas )?pu etre (?:remis|delivre|achemine)|pas pu etre (?:remis|delivre)|non delivre|non distribue",
  'no (?:se )?(?:ha podido|pudo|puede|ha sido posible) entregar|no entregad|mensaje devuelto|no llego a',
  'mancata consegna|non (?:e stato )?(?:recapitato|consegnato)|impossibile (?:recapitare|consegnare)|(?:nao|no) (?:foi|pode ser|pode|pude) ?(?:ser )?entregue|mensagem (?:devolvida|nao entregue)|nao entregue|falha na entrega',
  'onbestelbaar|niet (?:worden )?(?:bezorgd|afgeleverd)|nie (?:mozna|zostala|udalo sie) [^.]{0,20}dostarcz|nie dostarczon',
  // Russian, Japanese, Chinese.
  'не (?:может быть|удалось|было|смогли) (?:доставл|доставить|отправл)|недоставлен|не доставлено|(?:送信|配信|配達)(?:でき|出来)ません|届けられません|(?:送信|配信)エラー|不達|退信|无法送达|退回|無法投遞',
);

/** That a server refused an address for good, in any language: `<ada@…>: 550 5.1.1`. */
export const REFUSED = /[^\s<>:;,]@[^\s<>:;,]{1,255}>?:? 5\d\d[ -]#?5\.\d{1,3}\.\d{1,3}\b/;

/** That the server goes on trying. */
export const DELAYED = any(
  '^[a-z ]{0,20}\\bdelay(?:ed)?\\b',
  '(?:not|never) yet been (?:delivered|sent)|not been delivered yet|(?:has been|is|was|delivery|message|mail) delayed\\b|delayed mail|notification \\(delay|still (?:un|being )(?:delivered|retried)|still trying',
  '(?:this is a|\\bis a) warning (?:message )?only|transient non-fatal|delivery incomplete|you do not need to resend|could not send message for (?:the )?past|delayed \\d{1,4} hours',
  'will (?:keep trying|be retried|retry|try again|continue to)|attempts will (?:continue|be made|go on|be repeated)|attempts go on|no action is required on your part',
  'noch nicht [^.]{0,20}zugestellt|verzogert|weitere (?:zustell)?versuche|pas encore (?:ete )?remis|en attente|nouvelles tentatives|remise retardee',
  'aun no se ha|se ha retrasado|entrega retrasada|ritardat|non ancora (?:recapitato|consegnato)|ainda nao foi|entrega atrasada|vertraagd|nog niet (?:bezorgd|afgeleverd)|opozni|jeszcze nie',
  'задерж|еще не (?:было )?доставлен|(?:配信|送信)[^。]{0,6}遅延|遅れて|延迟|尚未送达',
);

/** That all went well. */
export const ARRIVED = any(
  'successful(?:ly)? deliver|successful delivery|return receipt|delivery notifications|^(?:delivered|relayed|expanded)\\b|has been (?:delivered|relayed|expanded)\\b',
);

/** That it will not. */
export const GIVEN_UP = any(
  "\\bpermanent|give?n?ing? up|\\bgiven up|won't be retried|will not (?:be retried|try again|retry)|not going to try again|retry timeout exceeded|will be deleted from queue|no further attempts|has been (?:removed|returned)",
  'endgultig|definitive?ment|definitivamente|definitief|окончательн',
);

/** What stands before the returned copy of a mail. */
export const COPY_FOLLOWS = any(
  '^[-=*| ]{0,80}(?:below this line is a copy|this is a copy of (?:the|your)|original message (?:headers?|follows)|original message ?-|(?:unsent|returned|original) (?:message|mail) follows)',
  '^[-=*| ]{0,80}(?:text of mail follows|message text follows|the headers? of the original|here is listed the initial part|message headers? follow|kopie der (?:nachricht|ursprunglichen))',
);

/** Lines that tell of the attempt or the paper work and not of the reason. */
export const BESIDE_THE_REASON = any(
  '^(?:giving up on|retry timeout exceeded|because:?$|reason:?$|error (?:type|message|details):? ?(?:smtp)?$|remote server \\([^)]{1,60}\\) issued an error|hmailserver|sent by microsoft|\\(in reply to)',
  '^(?:subject|sent|betreff|gesendet am|asunto|objet|oggetto|id|mail from|server|from|date) ?:|^(?:the mts-id of|generating server|tracking message id)',
);

/** Words of one system that stand for a code of RFC 3463. */
export const FIXED_WORDS: readonly (readonly [phrase: RegExp, status: string])[] = [
  [/not listed in (?:domino|the|public) (?:name |address )?(?:directory|book)/, '5.1.1'],
  [
    /recipient name is not recognized|000c05a6|email account does not exist at the organi[sz]ation|e-mail account does not exist/,
    '5.1.1',
  ],
  [
    /invalid final delivery userid|unknown local-part|not a valid recipient|user \(?[^ ]{1,80}\)? ?not found|user\(s\) account is not/,
    '5.1.1',
  ],
  [/mailbox exceeds allowed size|account is full|over the (?:disk )?quota/, '5.2.2'],
  [/\bunknown host\b|couldn't find any host named|domain name not found|nxdomain|host unknown/, '5.1.2'],
  [/loops? back to myself/, '5.4.6'],
  [/\bdomain does not exist|no such domain|no mx record found for/, '5.1.2'],
  [/indicated no smtp service/, '5.1.10'],
  [
    /retry timeout exceeded|\bqueue too long|envelope expired|could not deliver for the last|not (?:been )?delivered within|did not accept our requests to connect|have been failing for a long time|delivery failed \d{1,4} attempts|host is not responding/,
    '5.4.7',
  ],
];
