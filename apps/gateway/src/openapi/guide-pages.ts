import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dashboardFolder } from '../dashboard/dashboard-files.js';

export const GUIDE_STYLE = `:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; display: grid; grid-template-columns: 260px minmax(0, 1fr); }
nav { padding: 16px; font-size: 14px; border-right: 1px solid #8884; }
nav ul { list-style: none; padding: 0; margin: 8px 0; }
nav a { display: block; padding: 4px 8px; color: inherit; text-decoration: none; border-radius: 4px; }
nav a:hover, nav [aria-current] { background: #8882; }
main { padding: 24px 40px 80px; max-width: 900px; }
a { color: #1864ab; }
@media (prefers-color-scheme: dark) { main a { color: #74c0fc; } }
code { font-size: 0.9em; background: #8882; padding: 1px 4px; border-radius: 4px; overflow-wrap: anywhere; }
pre { padding: 12px; overflow-x: auto; background: #8882; border-radius: 6px; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9em; }
th, td { border: 1px solid #8884; padding: 6px 10px; text-align: left; vertical-align: top; }
@media (max-width: 800px) {
  body { display: block; }
  nav { border-right: 0; border-bottom: 1px solid #8884; }
  main { padding: 16px; }
}
`;

interface Page {
  name: string;
  title: string;
}

/**
 * The pages of the documentation, which set-up has rendered from docs, by name.
 * @param style name of the style sheet beside them
 * @throws if they have not been built
 */
export async function guidePages(style: string): Promise<ReadonlyMap<string, string>> {
  const folder = join(dashboardFolder(), 'guide');
  const pages = JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')) as Page[];
  const written = pages.map(async (page) => {
    const content = await readFile(join(folder, `${page.name}.html`), 'utf8');
    return [page.name, pageOf(page, { pages, content, style })] as const;
  });
  return new Map(await Promise.all(written));
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function pageOf({ name, title }: Page, of: { pages: readonly Page[]; content: string; style: string }): string {
  const links = of.pages.map(
    (page) =>
      `<li><a href="${page.name}"${page.name === name ? ' aria-current="page"' : ''}>${escaped(page.title)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escaped(title)} · Postloft</title>
    <link rel="stylesheet" href="${of.style}" />
  </head>
  <body>
    <nav aria-label="Pages">
      <a href="../app/">Open the dashboard</a>
      <a href="../docs">API reference</a>
      <ul>${links.join('')}</ul>
    </nav>
    <main>${of.content}</main>
  </body>
</html>
`;
}
