import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderPage, writeGuide } from '../../tools/guide.mjs';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const NAMES = new Set(['statistics', 'delivery']);

describe('a page of the documentation', () => {
  it.each([
    ['[rates](statistics.md#rates)', '<p><a href="statistics#rates">rates</a></p>'],
    [
      '[here](#turns) and [there](https://example.com/)',
      '<p><a href="#turns">here</a> and <a href="https://example.com/">there</a></p>',
    ],
    // No browser of a user has the other files of the repository.
    ['[009](decisions/009-fair-claims.md), [`main`](../README.md)', '<p>009, <code>main</code></p>'],
    ['[unknown](nothing.md)', '<p>unknown</p>'],
    ['![a picture](images/overview.png)', '<p>a picture</p>'],
    ['[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
    ['<!-- Generated. -->\n\ntext', '<p>text</p>'],
    ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ])('renders %s', (markdown, html) => {
    expect(renderPage(markdown, NAMES).trim()).toBe(html);
  });

  it('has anchors as its links expect them', () => {
    expect(renderPage('## `GET /stats`: rates & counts\n\n## Rates\n\n## Rates\n', NAMES)).toBe(
      '<h2 id="get-stats-rates--counts"><code>GET /stats</code>: rates &amp; counts</h2>\n<h2 id="rates">Rates</h2>\n<h2 id="rates-1">Rates</h2>\n',
    );
  });

  it('leads from page to page and to headings that exist', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postloft-guide-'));
    writeGuide(DOCS, folder);
    const html = new Map(
      readdirSync(folder)
        .filter((name) => name.endsWith('.html'))
        .map((name) => [name.slice(0, -5), readFileSync(join(folder, name), 'utf8')]),
    );
    const pages = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as { name: string; title: string }[];
    rmSync(folder, { recursive: true });
    expect(pages.map(({ name }) => name).toSorted()).toEqual([...html.keys()].toSorted());
    expect(pages).toContainEqual({ name: 'statistics', title: 'Statistics' });
    const broken: string[] = [];
    for (const [page, text] of html)
      for (const [, name, anchor] of text.matchAll(/href="([a-z0-9-]*)(?:#([^"]*))?"/g)) {
        const target = html.get(name === '' ? page : name);
        if (target === undefined || (anchor !== undefined && !target.includes(`id="${decodeURIComponent(anchor)}"`)))
          broken.push(`${page}: ${name}#${anchor}`);
      }
    expect(broken).toEqual([]);
  });
});
