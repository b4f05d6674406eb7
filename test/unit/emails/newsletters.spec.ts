import { replaceHtml } from '#libs/mime';
import { rewriteHtml } from '#libs/tracking';
import { describe, expect, it } from 'vitest';
import { newsletterMail, piecesOf, replacedLinks } from '../../support/messages/newsletter-mail.js';
import { NEWSLETTERS } from '../../support/messages/newsletters.js';

const TRACKED = 'https://track.shop.example/t/c/';
const PIXEL = '<img src="https://track.shop.example/t/o/x.gif">';

describe('rewriting of newsletters', () => {
  it.each(NEWSLETTERS)('changes the links of "$name" and nothing else', async (newsletter) => {
    const mail = newsletterMail(newsletter, ['From: news@shop.example', 'Subject: News']);
    const before = piecesOf(mail);
    expect(before.html.toString('latin1').trimEnd()).toEqual(newsletter.html.toString('latin1').trimEnd());
    const targets: string[] = [];
    const link = (href: string) => (/^\s*https?:/i.test(href) ? `${TRACKED}${targets.push(href.trim())}` : null);
    const after = piecesOf(await replaceHtml(mail, (html) => rewriteHtml(html, { link, append: PIXEL })));
    expect(after.others).toEqual(before.others);
    const links = replacedLinks(before.html, after.html);
    expect(links.map(({ to }) => to)).toEqual(targets.map((_, index) => `${TRACKED}${index + 1}`));
    expect(links.length).toBeGreaterThan(1);
    for (const { from } of links) expect(from.trim()).toMatch(/^https?:\/\/[^'<>]+$/i);
  });

  it('covers fifty newsletters, all forms of a message and both charsets', () => {
    expect(NEWSLETTERS).toHaveLength(50);
    const forms = new Set(NEWSLETTERS.map(({ form, encoding, charset }) => `${form} ${encoding} ${charset}`));
    expect(forms.size).toBeGreaterThan(12);
  });
});
