import { describe, expect, it } from 'vitest';
import { embedImages } from './email-preview.js';

const image = (contentId: string, content = 'png') => ({
  contentId,
  contentType: 'image/png',
  content: Buffer.from(content),
});

describe('embedImages', () => {
  it('finds ids with any character of a message id, escaped or not', () => {
    for (const [id, written] of [
      ['ii_m3k+a$1', 'ii_m3k+a$1'],
      ['ii_m3k+a$1', 'ii_m3k%2Ba%241'],
      ['a&b', 'a&amp;b'],
    ])
      expect(embedImages(`<img src="cid:${written}">`, [image(id)])).toMatch(/src="data:/);
  });

  it('replaces the URLs of images of the message, encoded or not', () => {
    const html = '<img src="cid:logo@x"><img src=cid:a%20b><td style="background:url(CID:logo@x)">';
    const data = `data:image/png;base64,${Buffer.from('png').toString('base64')}`;
    expect(embedImages(html, [image('logo@x'), image('a b')])).toBe(
      `<img src="${data}"><img src=${data}><td style="background:url(${data})">`,
    );
  });

  it('leaves unknown ids, other types and everything else alone', () => {
    const html = '<img src="cid:nobody"><img src="cid:page"><img src="cid:%"><a href="https://x.test/acid:1">';
    const page = { contentId: 'page', contentType: 'text/html', content: Buffer.from('<script>') };
    expect(embedImages(html, [image('logo'), page])).toBe(html);
  });

  it('does not grow without limit when one image is shown many times', () => {
    const shown = embedImages('<img src=cid:a>'.repeat(1_000), [image('a', 'x'.repeat(100))], 350);
    expect(shown.split('data:').length - 1).toBe(3);
    expect(shown.split('cid:').length - 1).toBe(997);
  });
});
