import { describe, expect, it } from 'vitest';
import { classifyReply } from './reply-classifier.js';

/**
 * By language, in our own words: a full mailbox; the mailbox does not exist, or something else that may end or is no statement
 * about it; the mailbox may not exist; and the mailbox does not exist, also in other words for the same.
 */
const REPLIES: Readonly<Record<string, { full: string[]; ambiguous: string[]; unsure: string[]; dead: string[] }>> = {
  de: {
    full: [
      'Empfaenger unbekannt oder Mailbox voll',
      'Mailbox ist voll',
      'Das Konto des Empfängers ist überfüllt',
      'Postfach uebervoll',
      'volle Mailbox',
    ],
    ambiguous: [
      'Benutzer unbekannt oder nicht erreichbar',
      'Empfänger existiert nicht oder Annahme verweigert',
      'Postfach gesperrt oder Benutzer unbekannt',
      'Adresse unbekannt bzw. nicht verfügbar',
    ],
    unsure: ['Empfänger möglicherweise unbekannt', 'Adresse unbekannt? Vielleicht existiert der Benutzer nicht'],
    dead: [
      'Empfaenger unbekannt',
      'Benutzer unbekannt oder nicht vorhanden',
      'Empfänger unbekannt. Prüfen Sie die Adresse oder fragen Sie den Empfänger',
    ],
  },
  es: {
    full: [
      'usuario desconocido o mailbox lleno',
      'mailbox lleno',
      'La bandeja del usuario está llena',
      'buzón saturado',
    ],
    ambiguous: [
      'usuario desconocido o no disponible',
      'El usuario no existe o ha rechazado el mensaje',
      'buzón inaccesible o usuario inexistente',
    ],
    unsure: ['el usuario posiblemente no existe', 'destinatario desconocido, tal vez inexistente'],
    dead: [
      'usuario desconocido',
      'el usuario no existe o es desconocido',
      'usuario inexistente. Compruebe la dirección o escriba de nuevo',
    ],
  },
  it: {
    full: ['utente sconosciuto o mailbox piena', 'mailbox piena', 'la casella di posta è satura'],
    ambiguous: [
      'utente sconosciuto oppure non raggiungibile',
      'destinatario inesistente o accesso negato',
      'casella bloccata o utente sconosciuto',
    ],
    unsure: ['utente forse sconosciuto', 'il destinatario potrebbe essere sconosciuto: utente inesistente'],
    dead: ['utente sconosciuto', 'utente sconosciuto o inesistente'],
  },
  nl: {
    full: ['gebruiker onbekend of mailbox vol', 'mailbox vol', 'De postbus is vol', 'postvak overvol'],
    ambiguous: [
      'gebruiker onbekend of niet bereikbaar',
      'ontvanger onbekend of geblokkeerd',
      'toegang geweigerd of gebruiker onbekend',
    ],
    unsure: ['gebruiker mogelijk onbekend', 'adres onbekend, misschien een tikfout'],
    dead: ['gebruiker onbekend', 'gebruiker onbekend of bestaat niet', 'gebruiker onbekend, bezorging niet mogelijk'],
  },
  fr: {
    full: [
      'utilisateur inconnu ou mailbox pleine',
      'mailbox pleine',
      'La boîte du destinataire est saturée',
      'BAL pleine',
    ],
    ambiguous: [
      'utilisateur inconnu ou indisponible',
      'destinataire inconnu ou message refusé',
      'accès interdit ou utilisateur inconnu',
    ],
    unsure: ['utilisateur peut-être inconnu', 'adresse probablement inconnue'],
    dead: ['utilisateur inconnu', 'utilisateur inconnu ou inexistant'],
  },
  pt: {
    full: ['usuário desconhecido ou mailbox cheia', 'mailbox cheia', 'A caixa do usuário está lotada'],
    ambiguous: [
      'usuário desconhecido ou indisponível',
      'destinatário inexistente ou acesso negado',
      'caixa bloqueada ou usuário inexistente',
    ],
    unsure: ['usuário talvez desconhecido', 'endereço possivelmente inexistente'],
    dead: ['usuário desconhecido', 'usuário desconhecido ou inexistente'],
  },
  pl: {
    full: ['nieznany użytkownik lub skrzynka pełna', 'mailbox pelny', 'Skrzynka odbiorcy jest zapełniona'],
    ambiguous: ['nieznany użytkownik lub brak dostępu', 'odbiorca nie istnieje albo jest niedostępny'],
    unsure: ['być może nieznany użytkownik', 'prawdopodobnie nieznany adres'],
    dead: ['nieznany użytkownik', 'nieznany użytkownik lub adres nie istnieje'],
  },
  sv: {
    full: ['okänd mottagare eller mailbox full', 'inkorgen är full', 'brevlådan är överfull'],
    ambiguous: ['okänd mottagare eller inte tillgänglig', 'okänd adress eller blockerad'],
    unsure: ['kanske okänd mottagare', 'troligen okänd adress'],
    dead: ['okänd mottagare', 'okänd mottagare eller adressen finns inte'],
  },
  da: {
    full: ['ukendt modtager eller mailbox fuld', 'postkassen er overfyldt', 'indbakken er fuld'],
    ambiguous: ['ukendt modtager eller ikke tilgængelig', 'ukendt bruger eller afvist'],
    unsure: ['måske ukendt modtager', 'muligvis ukendt adresse'],
    dead: ['ukendt modtager', 'ukendt modtager eller brugeren findes ikke'],
  },
  no: {
    full: ['ukjent mottaker eller mailbox full', 'innboksen er full', 'postkassen er overfylt'],
    ambiguous: ['ukjent mottaker eller ikke tilgjengelig', 'ukjent bruker eller avvist'],
    unsure: ['kanskje ukjent mottaker', 'muligens ukjent adresse'],
    dead: ['ukjent mottaker', 'ukjent mottaker eller adressen finnes ikke'],
  },
  fi: {
    full: ['tuntematon vastaanottaja tai mailbox täynnä', 'sähköpostilaatikko on täynnä', 'postilaatikko täysi'],
    ambiguous: ['tuntematon vastaanottaja tai ei käytettävissä', 'tuntematon osoite tai estetty'],
    unsure: ['ehkä tuntematon vastaanottaja', 'mahdollisesti tuntematon osoite'],
    dead: ['tuntematon vastaanottaja', 'tuntematon vastaanottaja tai osoitetta ei löydy'],
  },
  cs: {
    full: ['neznámý uživatel nebo mailbox plný', 'schránka je přeplněna', 'mailbox je zaplněn'],
    ambiguous: ['neznámý uživatel nebo nedostupný', 'neznámý příjemce nebo přístup odmítnut'],
    unsure: ['možná neznámý uživatel', 'pravděpodobně neznámý adresát'],
    dead: ['neznámý uživatel', 'neznámý uživatel nebo adresa neexistuje'],
  },
  tr: {
    full: ['kullanıcı bulunamadı veya mailbox dolu', 'gelen kutusu dolu', 'alıcı bilinmiyor veya kota aşıldı'],
    ambiguous: ['kullanıcı bulunamadı veya engellendi', 'alıcı bilinmiyor ya da ulaşılamıyor'],
    unsure: ['muhtemelen kullanıcı bulunamadı', 'belki geçersiz alıcı'],
    dead: ['kullanıcı bulunamadı', 'kullanıcı bulunamadı veya geçersiz alıcı'],
  },
  ja: {
    full: ['ユーザーが存在しないか、メールボックスが満杯です', 'mailboxが一杯です', '受信トレイがいっぱいです'],
    ambiguous: ['宛先不明または受信を制限されています', 'ユーザーが存在しないか、アクセスが許可されていません'],
    unsure: ['宛先が存在しない可能性があります', 'アドレスが見つかりません。おそらく入力の誤りです'],
    dead: ['宛先不明', '宛先不明またはアドレスが存在しません'],
  },
  zh: {
    full: ['用户不存在或邮箱已满', 'mailbox已满', '收件箱空间不足'],
    ambiguous: ['用户不存在或拒绝接收', '收件人不存在或者没有权限'],
    unsure: ['用户可能不存在', '邮箱也许不存在'],
    dead: ['用户不存在', '用户不存在或已注销'],
  },
  ko: {
    full: ['사용자가 존재하지 않거나 편지함이 가득 찼습니다', 'mailbox 용량 초과', '받은편지함이 가득 찼습니다'],
    ambiguous: ['사용자가 존재하지 않거나 차단되었습니다', '존재하지 않는 계정 또는 수신이 제한된 계정'],
    unsure: ['사용자가 존재하지 않을 수 있습니다', '존재하지 않는 사용자일 가능성이 있습니다'],
    dead: ['존재하지 않는 사용자', '존재하지 않는 사용자 또는 없는 주소'],
  },
  ru: {
    full: ['пользователь не найден или ящик переполнен', 'почтовый ящик полон', 'mailbox переполнен'],
    ambiguous: ['пользователь не найден или недоступен', 'неизвестный адрес либо доступ запрещён'],
    unsure: ['возможно, пользователь не найден', 'вероятно, адрес не существует'],
    dead: [
      'пользователь не найден',
      'пользователь не найден или адрес не существует',
      'доставка невозможна: пользователь не найден',
    ],
  },
};

const cases = (kind: 'full' | 'ambiguous' | 'unsure' | 'dead') =>
  Object.entries(REPLIES).flatMap(([language, of]) => of[kind].map((text) => ({ language, text })));
const verdict = (text: string) => classifyReply({ code: 550, enhanced: null, text });

describe('a reply in another language', () => {
  it.each(cases('full'))('$language: "$text" is a full mailbox', ({ text }) => {
    expect(verdict(text)).toEqual({ class: 'quota', permanent: true, bounceType: 'soft' });
    expect(classifyReply({ code: 452, enhanced: null, text }).class).toBe('quota');
  });

  it.each([...cases('ambiguous'), ...cases('unsure')])('$language: "$text" suppresses nobody', ({ text }) => {
    for (const enhanced of [null, '5.1.1']) {
      const found = classifyReply({ code: 550, enhanced, text });
      expect(found).toMatchObject({ permanent: true });
      expect(found.bounceType).not.toBe('hard');
    }
  });

  it.each(cases('dead'))('$language: "$text" says that there is no such mailbox', ({ text }) => {
    expect(verdict(text)).toEqual({ class: 'invalid_recipient', permanent: true, bounceType: 'hard' });
  });
});
