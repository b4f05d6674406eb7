/**
 * The words by which replies are recognised, one pattern per meaning. Texts arrive as `foldedText` leaves them: lower
 * case, without accents of Latin and Cyrillic letters, with plain apostrophes. No nested repetition and bounded gaps
 * only, so each pattern is linear in the text.
 */
const any = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'));

/** What a mailbox is called. */
const BOX = '(?:mailbox|mail box|inbox|account|recipient|user|maildir)';
/** An address or name between two words: ` <ada@rcpt.example>`, ` ada`. */
const NAMED = '(?: [^ ]{1,100})?';

/** The envelope sender or the From: domain is the fault: ours to tell the owner of the domain. */
export const SENDER_FAULT = any(
  'sender verify|sender callout|sender address verification|verification failed for <',
  'sender (?:address )?(?:rejected|denied|refused|syntax|invalid|unknown)(?!: (?:access denied|not owned|blocked|spam))',
  "(?:sender|sender's|sending) (?:domain|address)(?: [^ ]{1,100})? (?:does not|doesn't|must) (?:exist|resolve)",
  '(?:null|empty|unroutable|forged) (?:envelope )?senders?\\b|batv|bogus mail from|from: domain|sender [^.]{0,20}(?:not|was|is) (?:pre-)?(?:approved|empty|rejected|verified)',
  'domain of sender address [^ ]{0,100} ?(?:does not|cannot)',
  'envelope sender (?:domain |address )?(?:must|does not|is invalid)|domain of the envelope sender',
  'resource record of the sender|sender(?: address)? does not exist',
  '(?:invalid|bad|unknown) (?:envelope )?sender\\b|sender invalid - envelope',
  "emetteur invalide|expediteur (?:introuvable|inconnu|invalide)|domaine de l'expediteur",
  'absender(?:domain|adresse)? ?(?:existiert|unbekannt|ungultig|nicht)|(?:dominio del )?mittente non (?:esiste|valido)',
  'remitente (?:no existe|desconocido|invalido)|remetente (?:nao existe|invalido)|nadawca nie istnieje',
);

/**
 * The sender is mentioned at all: no recipient is dead because of such words. Not meant is who only gave or gets back
 * what was wrong: "return to sender", "as given by the sender", "the sender should remove this address".
 */
export const ABOUT_SENDER = any(
  '(?<![a-z])sender(?<!\\b(?:(?:return|returned|back) to|(?:given|sent|named|typed|entered|used) by|inform|notify|tell) (?:the |its )?sender)(?!s? (?:should|may|can|must|please) (?:remove|delete|check|correct|update|contact|stop|have (?:a typo|mis)))',
  '\\b(?:originator|envelope[- ]from|return[- ]?path|(?:return|bounce) address|reply-to|mail ?from(?! (?:x\\b|\\[?\\d))|call-?back)\\b',
  '\\bfrom(?::|-|(?: the)? (?:address|header|domain|user|field)\\b)|\\b(?:your|sending) (?!recipient)(?:[a-z]{1,12} )?(?:address(?! ?book)|domain|user)\\b',
  '\\b(?:ehlo|helo|outgoing|outbound)\\b|\\b(?:authenticated|login|logged[- ]in|hosting|smtp) (?:user|account)|\\bfor sending|\\bsending (?:from|is|was|has)\\b|(?:can|may) ?not send',
  // German, Dutch, French, Spanish, Italian, Portuguese, Polish, Czech; Scandinavian, Finnish, Turkish.
  "versender|absender(?<!\\ban (?:den )?absender)|afzender(?<!\\baan (?:de )?afzender)|expedit(?:eur|rice|ion)(?<!retour a l'expediteur)|emett(?:eur|rice)",
  'remitente|\\bemisor|direccion de origen|mittente|remetente|nadawc|odesilatel',
  'avsandare|avsender|afsender|lahettaja|gonderen|gonderici',
  // Russian in its own letters and in Latin ones, Chinese, Japanese, Korean.
  'отправител(?!ю)|отправк|otpravitel',
  '(?:发件|發件|发信|發信|寄件|发送|發送)(?:人|者|方|地址|域|邮箱|信箱|账|帐|帳)|(?:送信|発信)(?:者|元)|差出人|(?:发信|發信|外发)(?!失|不)|발신자|발송자|보낸 ?사람',
);

/** The recipient is mentioned, so that an account in the same words is no other's. */
export const ABOUT_RECIPIENT = any(
  'recipient|rcpt|you (?:tried to reach|wrote to)|empfang|empfaeng|ontvanger|destinat|odbiorc|adresat|получател|收件|宛先|受信',
);

/** The account that sends. */
export const OWN_ACCOUNT = any(
  "\\byour (?:[a-z]{1,12} )?(?:account|mailbox)\\b|(?:sender|sender's|sending) (?:account|mailbox|user)\\b|\\btenant\\b",
  // German, Dutch, French, Spanish, Italian, Portuguese, Polish; Scandinavian. Behind "or" it is another's: "o su cuenta".
  '\\b(?:ihre?[mnrs]?|deine?[mnrs]?) (?:[a-z]{1,12} )?(?:(?:benutzer|e-mail-)?konto|account|postfach|zugang)|\\b(?:uw|je|jouw) (?:account|mailbox|postvak)',
  '\\b(?:votre|vos|ton|ta) (?:compte|boite|acces)|(?<!\\b[ou] )\\b(?:su|tu|vuestra) (?:cuenta|buzon|casilla)|(?<!\\bo (?:il |la )?)\\b(?:tu[oa]|su[oa]|vostr[oa]) (?:account|casella|utenza|conto)',
  '(?<!\\bou (?:a )?)\\b(?:sua|tua|vossa) (?:conta|caixa)|\\b(?:twoj[ae]?|panstwa|wasze) (?:konto|skrzynk)|\\b(?:ditt?|din) (?:konto|account)',
  // Russian, Chinese, Japanese, Korean.
  '(?:ваш|тво)[а-я]{0,2} (?:[а-я]{1,12} )?(?:аккаунт|ящик|учетн|запис)|[您你贵貴][^，。]{0,6}(?:邮箱|信箱|郵箱|账号|帐号|帳號|账户|帐户|帳戶)',
  '(?:お客様|あなた|貴方|貴社|御社)の?(?:アカウント|メールボックス)|귀하의 (?:계정|메일)',
);

/** The checks of SPF, DKIM, DMARC and reverse DNS. */
export const AUTHENTICATION = any(
  '\\b(?:dmarc|spf|dkim)\\b|sender policy framework|unauthenticated|not authenticated|authentication (?:check|level)',
  'reverse (?:dns|lookup)|\\brdns\\b|ip name lookup failed|forward dns|\\bptr\\b|cannot find your (?:hostname|reverse)|helo command rejected: host not found|sender id \\(',
);

/** The peer does not take mail for that domain, or only from those who log in: we are at the wrong door. */
export const WRONG_DOOR = any(
  'relay(?:ing)? (?:access )?(?:denied|not (?:permitted|allowed)|rejected|prohibited)|unable to relay|rcpthosts',
  'smtp authentication is required|requires authentication when|authentication (?:is )?required (?:for|to) relay',
  "\\bno relaying|open relay|configured to relay|(?:don't|does not|do not|cannot) handle mail for|not a gateway for",
  'client was not authenticated|cannot deliver mail for|unrouteable address|not (?:permitted|allowed) to relay',
);

/** Transport encryption is asked for. */
export const TLS_NEEDED = any(
  'issue (?:a )?starttls|starttls (?:is )?(?:required|needed|first)|please use starttls|(?:over|by) tls only',
  'tls (?:is |with |handshake |connection )?[^.]{0,30}(?:required|needed|mandatory)|only [^.]{0,20}over tls',
  'encryption (?:is )?(?:needed|required)|tls handshake failed',
);

/** The recipient's mailbox has no room. A full disk of the server or a limit of the sender is something else. */
export const MAILBOX_FULL = any(
  `${BOX}(?: of [^.]{0,30}| for [^.]{0,30}|'s [a-z]{1,20})?${NAMED}:? (?:is |are |was )?(?:already |almost |over)?full\\b`,
  `(?:mailbox|user|recipient|account)[^.]{0,40} (?:quota|size limit|storage limit)(?: [^ ]{1,20})? (?:exceeded|used up|reached)`,
  `${BOX}[^.]{0,40} (?:exceeded|exceeds|over|used up|beyond) (?:its |his |the |their )?(?:[a-z]{1,10} )?(?:quota|storage)`,
  'over ?quota|quota ?exceeded|quota (?:of [^.]{0,30} )?(?:is )?used up|used up (?:its|his|the) quota',
  '(?:over|exceed(?:s|ed|ing)?|reached|beyond)(?: (?:its|his|the|their))?(?: (?:allowed|disk|mailbox|storage)){0,2} quota|quota violation|disk ?quota',
  '(?:not have|not|without) enough (?:storage |disk )?space (?:in|for)|space has been used up|mail ?(?:folder|drop) is full',
  'exceeded storage allocation|out of storage|full mailbox|mailbox (?:of [^.]{0,30})?has no (?:room|space)|full / blocks limit',
  // German, French, Spanish, Italian, Portuguese, Polish.
  'postfach(?: [a-z]{1,12}){0,3} (?:ist )?(?:voll|uberfullt)|speicherplatz (?:des|mehr|erschopft)|kein(?:en)? speicherplatz',
  'boite [^.]{0,40}(?:pleine|saturee)|quota depasse|buzon (?:[a-z]{1,12} )?lleno|superado su cuota|cuota [a-z]{0,12} ?excedida',
  'casella [^.]{0,20}(?:piena|esaurita)|spazio della casella|quota superata|caixa [^.]{0,30}cheia|cota excedida',
  'skrzynka [^.]{0,20}(?:pelna|przepelniona|pełna|przepełniona)',
  'no (?:more )?space (?:is )?left in|space of [^.]{0,40}not enough|mailbox (?:has )?exceed(?:s|ed) (?:the |its )?(?:allowed |storage |size )?(?:size|limit)',
  `${BOX}(?:'s)? storage (?:is |was )?(?:exhausted|full)|storage of [^.]{0,10}${BOX} (?:is |was )?(?:exhausted|full)`,
  'casilla [^.]{0,20}llena|(?:excedi|sobrepas)[a-z]{1,4} (?:su|la) cuota|postvak [^.]{0,30}vol\\b|(?:posta kutusu|kota)(?:si|sı)? dolu',
  // Russian in its own letters and in Latin ones, Chinese, Japanese.
  'ящик [^.]{0,20}(?:переполнен|заполнен)|квота|yashchik [^.]{0,20}perepolnen|kvota',
  '(?:邮箱|信箱)[^。]{0,10}(?:满|(?:容量|空间)不足)|(?:メールボックス|容量)[^。]{0,10}(?:一杯|いっぱい|超過)',
);

/** This mail is larger than the peer takes. */
export const TOO_LARGE = any(
  '(?:message|mail|attachment|size|length)[^.]{0,40}(?:too (?:large|big)|larger than|exceed(?:s|ed|ing)?\\b[^.]{0,40}(?:size|limit|maximum|databytes|that))',
  '(?:too (?:large|big)) (?:a )?(?:message|mail)|size limit|(?:maximum|max|inbound|fixed) (?:inbound )?(?:message )?size|message size exceeds|maximum message size',
  'nachricht (?:ist )?zu gross|nachricht (?:ist )?zu groß|trop (?:volumineux|gros)|taille limite|taille du (?:mail|message) superieure',
  'mensaje (?:es )?demasiado grande|messaggio troppo grande|mensagem (?:e )?muito grande|wiadomosc jest za duza|za duza wiadomosc',
  'слишком большо|(?:邮件|郵件|信件)(?:过大|太大)|サイズが大き',
);

/** The recipient's account exists, or existed, but takes no mail. */
export const INACTIVE = any(
  '(?:account|mailbox|user|recipient|address)(?: of [a-z ]{1,20})?(?: [^ ]{1,100})? (?:is |has been |was |have been )?(?:temporarily )?(?:disabled|inactive|suspended|deactivated|closed|expired|discontinued|locked|switched off)',
  'account that you tried to reach is (?:disabled|inactive)|inactive (?:user|account|mailbox|recipient)|blocked due to inactivity|(?:archived|dormant|suspended) (?:account|recipient|mailbox|user)',
  '(?:konto|postfach|benutzer)(?: [a-z]{1,8})? (?:gesperrt|deaktiviert|inaktiv|geschlossen)|(?:compte|boite) [^.]{0,20}(?:desactive|archive|suspendu|ferme)',
  '(?:cuenta|buzon) (?:esta )?(?:desactivad|suspendid|cerrad|inactiv)|(?:casella|account|utenza) (?:e )?(?:disattivat|sospes|disabilitat)',
  '(?:conta|caixa) (?:esta )?(?:desativad|suspens|inativ|bloquead)|(?:konto|skrzynka) (?:jest |zosta[lł]o )?(?:zablokowan|nieaktywn|zawieszon)',
  '(?:ящик|аккаунт|учетная запись)[^.]{0,20} (?:отключен|заблокирован|неактив)|(?:帐号|账号|账户|邮箱)[^。]{0,4}(?:停用|禁用|冻结|注销)',
  '(?:アカウント|メールボックス)[^。]{0,6}(?:停止|無効)',
);

/** The peer knows no such recipient. */
export const NO_SUCH_USER = any(
  '(?:user|recipient|address|mailbox|person)(?: is)? unknown\\b|unknown (?:user|recipient|mailbox|address|account)|\\bno such (?:user|recipient|mailbox|person|address|account)',
  "doesn't have an? [^.]{0,40}\\b[a-z.]{0,40} ?account|(?:user|recipient|mailbox|address|account)(?: (?:of )?[^ ]{1,100})? (?:not found|(?:does not|doesn't|do not) exist|is invalid)",
  '(?:account|user) (?:[^ ]{1,100} )?is unknown|no (?:valid )?(?:recipient|mailbox) (?:here|in the directory)|no mailbox here|not a valid (?:mailbox|recipient|user)',
  'invalid (?:e-?mail )?(?:recipient|mailbox|user)s?\\b|account that you tried to reach does not exist|recipient (?:address )?rejected: (?:user|undeliverable address|address does not)|(?:recipient|user)(?: [^ ]{1,100})? is not (?:known|on the list)',
  'not (?:known|in use) (?:here|with us)|address is not known|user not local|bad (?:destination )?(?:mailbox )?address\\b|recipient is unknown',
  // German, French, Spanish, Italian, Portuguese, Polish.
  '(?:empfanger|empfaenger|benutzer|adresse|postfach)(?: [a-z]{1,8}){0,3} (?:unbekannt|nicht bekannt|existiert nicht)|kein solches postfach',
  "(?:utilisateur|destinataire|adresse) (?:inconnue?|introuvable|inexistante?)|destinataire invalide|n'existe pas",
  '(?:usuario|destinatario|buzon|direccion) (?:desconocid|no existe|inexistente)|(?:utente|destinatario|casella|indirizzo) (?:sconosciut|inesistente|non (?:esiste|valido|trovat))',
  '(?:usuario|destinatario|endereco|conta) (?:desconhecid|inexistente|nao existe)|(?:nieznan[ya] (?:uzytkownik|użytkownik|odbiorca|adresat))|nie ma takiego (?:konta|adresu)|(?:skrzynka|konto|adres) nie istnieje',
  // Russian in its own letters and in Latin ones, Chinese, Japanese.
  '(?:пользовател|ящик|адрес|получател)[^.]{0,10} (?:не (?:наиден|существует)|неизвестен)|такого [^.]{0,30}не существует|polzovatel [^.]{0,6}ne (?:naiden|najden|sushchestvuet)',
  '(?:用户|邮箱|收件人|帐号|账号)[^。]{0,6}(?:不存在|未找到|不正确)|无此(?:用户|邮箱)|查无此|(?:ユーザー?|宛先|アドレス)[^。]{0,6}(?:存在しま|不明|見つかり)|該当する[^。]{0,6}いません',
);

/** Exchange's words for an address that is not in its directory. */
export const RECIPIENT_NOT_FOUND = any('recipientnotfound|recipient [^ ]{1,100} not found');

/** The recipient's whole domain is the fault. */
export const NO_SUCH_DOMAIN = any(
  'recipient domain (?:does not exist|not found)|domain (?:[^ ]{1,100} )?does not (?:accept|take) (?:any )?(?:mail|e-?mail)|null ?mx',
);

/** What the peer thinks of us or of this mail: reputation, lists, spam, rules. */
export const REPUTATION = any(
  'spam|junk|\\bblock(?:ed|s|ing|list|[ -]list)?\\b|black ?(?:list|holed)|\\bdeny ?list|reputation|(?:is|are|was|been|stands?|be) listed|(?<!not )\\blisted (?:in|at|by|on)\\b|\\bin an? rbl\\b|\\brbl\\b|dns_?rbl|dnsbl|\\bbanned\\b',
  'unsolicited|bulk mail|advertising|complaints?|\\babus(?:e|ive)|bad behaviour|poor (?:score|standing)|\\[?\\btss?\\d\\d\\b|\\[?\\brp-001|\\(?\\bs(?:775|844)\\b|standing\\b|virus|attachment, refused|illegal attachment',
  'not (?:be )?(?:accepted|allowed)\\b[^.]{0,30}(?:from|network|ip)|network not allowed|accepting mail from your ip|by your ip|bad ip|open proxy|to submit messages to this|(?:mass|bulk) ?(?:e-?mail|mailer)|unusual (?:rate|traffic|sending)|(?:do not|does not|don.t|doesn.t) (?:accept|take|want) (?:mail|messages|connections) (?:from|of)',
  'unerwunscht|sperrliste|(?:ip|adresse|absender|server|netz)[^.]{0,40} gesperrt|liste noire|indesirable|pourriel|mauvaise reputation|lista negra|no deseado|cattiva reputazione|czarn[aą] list|спам|черн[а-я]{2} список|черном списке|垃圾|黑名单|迷惑メール|拒収',
  // Markers that say no more than this: NetEase, GoDaddy and T-Online.
  '\\b(?:dt:[a-z]{2,4}|mi:ipb|mi:nhd|hl:rep)\\b|\\bib(?:103|5\\d\\d)\\b|reset desk|for reset\\b|\\bnowl\\b|bounce attack|access denied, (?:banned|traffic|tenant|bad)|client host rejected|dynamic (?:ip|address|network)|dial-?up',
);

/** Rules of the receiving side: only in permanent replies, since a policy daemon also speaks when it is out of order. */
export const POLICY = any(
  'polic(?:y|ies)|administrative prohibition|not (?:allowed|permitted|authori[sz]ed) to (?:send|post|connect)|members[ -]only|non-member|not subscribed|content filter|unacceptable content|permission to (?:post|send|write)|rejecting mail|badmailfrom|message filtered',
  'only accept(?:s|ing)|white ?list|safe senders|allow ?list|mail filter|content scanner|sieve|phishing|malware|bogus helo|helo name|restricted to (?:members|senders)',
  '(?:content|attachment)[^.]{0,20} (?:denied|refused|rejected|danger)|rejected for its content|ofr_50\\d|lpn007_5\\d\\d',
);

/** A refusal of the mail or of its way, where nothing is said about the recipient. */
export const REFUSED = any(
  'access denied|(?:connection|mail|message)s? (?:from [^ ]{1,100} )?(?:is |was |has been )?(?:refused|rejected|denied)',
  '(?:refuse|reject)(?:s|d|ed)? (?:to accept )?your\\b|\\byour (?:server|host|ip)\\b|not rfc',
);

/** A quota, but not the mailbox's. */
export const SENDING_QUOTA = any(
  '(?:sending|sender|message|mail|daily|hourly|outbound) quota|quota of (?:messages|mails)|(?:messages|mails) per (?:hour|day|minute)',
);

/** A limit of how much we may send. */
export const RATE = any(
  'connection limit|throttl|trop de |too (?:many|fast|quickly|much)|rate(?:[ -]?limit| that| control)|frequency limited|(?:sending|message|hourly|daily|per hour|volume)[^.]{0,20} limits?\\b|exceeded [^.]{0,30}(?:per hour|permitted limits)|at a rate',
);

/** Limits and rules of hosts that use codes of routing for them. */
export const UNWANTED_SENDING = any('sending (?:activity|limit)|email policy|rejected by destination');

/** A temporary answer to everybody: neither spam nor reputation, whatever the product is called. */
export const GREYLISTED = any(
  'gr[ea]y ?-?list',
  'liste grise|lista gris|szara lista|серыи список|灰名单|グレーリスト',
  'spam repellent',
);

/** The mail or the dialogue breaks a standard. */
export const MALFORMED = any(
  'rfc ?-?5322|not rfc|rfc 5321|malformed|syntax error|bare (?:lf|cr|newlines?|8-bit)|stray newlines|line (?:too long|length)|non-ascii|conversion to 7|message-id header|valid syntax|no valid syntax',
);

/** A ring of servers, or too long a way. */
export const LOOP = any('too many hops|(?:mail |routing |forwarding )loop|hop count|too many "?received|looping');

export const EXPIRED = any(
  'message (?:expired|timed out)|delivery (?:time )?expired|allowed queue|queue too long|multiple retries|too long in (?:the )?queue|in the queue for too long',
);
