// Renders the pages of docs as HTML for the gateway, which serves them under /docs. Links lead from page to page; links to other
// files of the repository, which no browser of a user has, become text, and images their descriptions.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import MarkdownIt from 'markdown-it';

/** A link to a page, with its anchor. */
const PAGE = /^([a-z0-9-]+)\.md(#.*)?$/;

/**
 * Writes `<page>.html`, the content of the body, for each page, and `pages.json` with their titles in order.
 * @param {string} from folder of the Markdown files
 * @param {string} to
 */
export function writeGuide(from, to) {
  mkdirSync(to, { recursive: true });
  const files = readdirSync(from).filter((name) => name.endsWith('.md'));
  const names = new Set(files.map((file) => basename(file, '.md')));
  const pages = files.map((file) => {
    const text = readFileSync(join(from, file), 'utf8');
    const name = basename(file, '.md');
    writeFileSync(join(to, `${name}.html`), renderPage(text, names));
    return { name, title: /^# (.+)$/m.exec(text)?.[1] ?? name };
  });
  writeFileSync(join(to, 'pages.json'), JSON.stringify(pages.sort((a, b) => a.title.localeCompare(b.title, 'en'))));
}

/**
 * @param {string} text Markdown; HTML in it is shown as text
 * @param {ReadonlySet<string>} names of the pages
 */
export function renderPage(text, names) {
  const markdown = new MarkdownIt({ linkify: false });
  const { rules } = markdown.renderer;
  const seen = new Map();
  rules.heading_open = (tokens, index) => {
    const base = anchorOf(tokens[index + 1].content);
    const count = seen.get(base) ?? 0;
    seen.set(base, count + 1);
    return `<${tokens[index].tag} id="${count === 0 ? base : `${base}-${count}`}">`;
  };
  /** @type {boolean[]} whether each open link is shown as a link */
  const open = [];
  rules.link_open = (...[tokens, index, options, , self]) => {
    const href = targetOf(String(tokens[index].attrGet('href')), names);
    open.push(href !== null);
    if (href === null) return '';
    tokens[index].attrSet('href', href);
    return self.renderToken(tokens, index, options);
  };
  rules.link_close = () => (open.pop() ? '</a>' : '');
  rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index].content);
  rules.table_open = () => '<div class="table"><table>';
  rules.table_close = () => '</table></div>';
  // Of pages that are generated.
  return markdown.render(text.replace(/^<!--[^>]*-->/, ''));
}

/** @param {string} href @param {ReadonlySet<string>} names */
function targetOf(href, names) {
  if (/^(https?:|#)/.test(href)) return href;
  const [, name, anchor = ''] = PAGE.exec(href) ?? [];
  return name !== undefined && names.has(name) ? `${name}${anchor}` : null;
}

/** As GitHub makes them: in lower case, without punctuation. @param {string} title */
const anchorOf = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
