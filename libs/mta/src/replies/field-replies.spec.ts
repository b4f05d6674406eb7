import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { classifyReply } from './reply-classifier.js';

const judged = (text: string, enhanced: string | null = null) => classifyReply({ code: 550, enhanced, text });

describe('replies to RCPT in the language of the operator', () => {
  it.each([
    'Boîte aux lettres pleine ou utilisateur inconnu',
    'La boite du destinataire est pleine',
    'Caixa postal cheia ou inexistente',
    'Casella piena o utente inesistente',
    'Buzón lleno o usuario desconocido',
    'Buzon de correo lleno',
    'Casilla de correo llena',
    'Postfach voll oder Benutzer unbekannt',
    'Das Postfach ist voll',
    'Brievenbus is vol of gebruiker onbekend',
    'Mailboxen är full eller okänd mottagare',
    'Postkassen er fuld',
    'Postilaatikko on täynnä',
    'Skrzynka pełna lub nieznany odbiorca',
    'Schránka je plná',
    'Posta kutusu dolu veya kullanıcı bilinmiyor',
    'A postafiók megtelt',
    'Căsuța poștală este plină',
    'Почтовый ящик переполнен или не существует',
    'Поштова скринька переповнена',
    'メールボックスがいっぱいです',
    '邮箱已满或用户不存在',
    '메일함이 가득 찼습니다',
  ])('of a full mailbox end the message without a suppression: %s', (text) => {
    expect(judged(text)).toEqual({ class: 'quota', permanent: true, bounceType: 'soft' });
  });

  it.each([
    ['Destinataire inconnu ou bloqué', '5.1.1'],
    ['Usuario desconocido o bloqueado', null],
    ['Ontvanger onbekend of geblokkeerd', '5.1.1'],
    ['Пользователь не найден или заблокирован', '5.1.1'],
    ['Utente sconosciuto o disabilitato temporaneamente', null],
  ])('with an alternative suppress nobody: %s', (text, enhanced) => {
    const { permanent, bounceType } = judged(text, enhanced);
    expect(permanent).toBe(true);
    expect(bounceType).not.toBe('hard');
  });

  it.each([
    'Empfänger unbekannt',
    'El usuario no existe',
    'Utilisateur inconnu',
    'Пользователь не найден',
    'Onbekende gebruiker',
  ])('without a doubt suppress the address: %s', (text) => {
    expect(judged(text, '5.1.1')).toMatchObject({ class: 'invalid_recipient', bounceType: 'hard' });
  });

  /** A full mailbox or an unknown recipient; a recipient that is unknown or blocked; an unknown recipient. */
  it.each([
    [
      'hu',
      'Ismeretlen felhasználó vagy a postafiók megtelt',
      'Nincs ilyen felhasználó vagy letiltva',
      'Nincs ilyen felhasználó vagy cím',
    ],
    [
      'ro',
      'Utilizator inexistent sau căsuța poștală este plină',
      'Utilizator necunoscut sau blocat',
      'Utilizator necunoscut',
    ],
    [
      'uk',
      'Користувач не існує або скринька переповнена',
      'Користувач не знайдений або заблокований',
      'Користувач не існує',
    ],
    [
      'sk',
      'Používateľ neexistuje alebo schránka je plná',
      'Neznámy používateľ alebo odmietnutý',
      'Používateľ neexistuje',
    ],
    [
      'bg',
      'Потребителят не съществува или кутията е препълнена',
      'Непознат адрес: няма такъв потребител или е блокиран',
      'Няма такъв потребител',
    ],
    ['hr', 'Korisnik ne postoji ili je sandučić pun', 'Nepoznat korisnik ili blokiran', 'Korisnik ne postoji'],
    ['sl', 'Uporabnik ne obstaja ali je poštni predal poln', 'Neznan uporabnik ali blokiran', 'Uporabnik ne obstaja'],
    [
      'el',
      'Άγνωστος χρήστης ή το γραμματοκιβώτιο είναι γεμάτο',
      'Άγνωστος παραλήπτης ή μπλοκαρισμένος',
      'Άγνωστος χρήστης',
    ],
    ['et', 'Tundmatu kasutaja või postkast on täis', 'Tundmatu saaja või blokeeritud', 'Tundmatu kasutaja'],
    [
      'lt',
      'Vartotojas neegzistuoja arba pašto dėžutė pilna',
      'Gavėjas nerastas arba užblokuotas',
      'Vartotojas neegzistuoja',
    ],
    ['lv', 'Lietotājs neeksistē vai pastkaste ir pilna', 'Saņēmējs nav atrasts vai bloķēts', 'Lietotājs neeksistē'],
    [
      'id',
      'Pengguna tidak ditemukan atau kotak surat penuh',
      'Penerima tidak dikenal atau diblokir',
      'Pengguna tidak ditemukan',
    ],
    [
      'vi',
      'Người dùng không tồn tại hoặc hộp thư đã đầy',
      'Người nhận không tồn tại hoặc bị chặn',
      'Người dùng không tồn tại',
    ],
    ['th', 'ไม่พบผู้ใช้หรือกล่องจดหมายเต็ม', 'ไม่พบผู้รับหรือถูกบล็อก', 'ไม่พบผู้ใช้'],
    ['he', 'המשתמש לא קיים או שהתיבה מלאה', 'הנמען לא נמצא או חסום', 'המשתמש לא קיים'],
    ['ar', 'المستخدم غير موجود أو صندوق البريد ممتلئ', 'المستلم غير معروف أو محظور', 'المستخدم غير موجود'],
  ])('in %s suppress only a dead address', (_language, full, alternative, dead) => {
    expect(judged(full)).toEqual({ class: 'quota', permanent: true, bounceType: 'soft' });
    expect(judged(alternative).bounceType).not.toBe('hard');
    expect(judged(dead)).toMatchObject({ class: 'invalid_recipient', bounceType: 'hard' });
  });

  it('know a full mailbox and an alternative in each language of dead addresses', () => {
    const file = new URL('reply-phrases.json', import.meta.url);
    const { phrases } = JSON.parse(readFileSync(file, 'utf8')) as {
      phrases: Record<string, { patterns: Record<string, unknown> }>;
    };
    const languages = Object.keys(phrases['unknown_recipient'].patterns);
    for (const phrase of ['mailbox_full', 'alternative_reasons'])
      expect(languages.filter((language) => !(language in phrases[phrase].patterns))).toEqual([]);
  });
});
