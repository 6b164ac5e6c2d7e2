// Renders docs/*.md as pages for the links of the console (src/ui/docs-links.ts): a server on a network of its own has its documentation too.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import GithubSlugger from 'github-slugger'
import { Marked } from 'marked'

/** Writes a page for each file of `source`, and their style sheet, into `target`. */
export const buildDocs = (source, target) => {
  mkdirSync(target, { recursive: true })
  const paths = globSync('*.md', { cwd: source }).sort()
  const pages = paths.map(path => readPage(path, readFileSync(join(source, path), 'utf8')))
  for (const page of pages) writeFileSync(join(target, `${page.name}.html`), writePage(page, pages))
  writeFileSync(join(target, 'docs.css'), style)
}

const readPage = (path, text) => {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path
  return { name: pageName(path), title: title.replaceAll('`', ''), html: render(text) }
}

/** README.md is the start page. */
const pageName = path => basename(path, '.md').replace('README', 'index')

/** With the anchors of GitHub, which the links of the documents use. */
const render = text => {
  const slugger = new GithubSlugger()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugger.slug(text.replaceAll('`', ''))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens)
        const target = linkTarget(href)
        return target === undefined ? label : `<a href="${escapeHtml(target)}">${label}</a>`
      },
      // Pictures are many times larger than the text.
      image: ({ text }) => escapeHtml(text),
      code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
      table(token) {
        // A wide table scrolls by itself; keyboards scroll what has the focus.
        const cells = (row, tag) =>
          `<tr>${row.map(cell => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        return `<div class="wide" tabindex="0"><table><thead>${cells(token.header, 'th')}</thead><tbody>${token.rows
          .map(row => cells(row, 'td'))
          .join('')}</tbody></table></div>\n`
      },
    },
  })
  return marked.parse(text)
}

/** Address of a link on these pages; undefined for files that the server does not serve. */
const linkTarget = href => {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [, path, anchor = ''] = /^(?:\.\/)?([\w-]+\.md)(#.*)?$/.exec(href) ?? []
  return path === undefined ? undefined : `${pageName(path)}.html${anchor}`
}

const escapeHtml = text =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const writePage = ({ name, title, html }, pages) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${escapeHtml(title)} · Querent</title>
    <link rel="icon" href="../icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="docs.css" />
  </head>
  <body>
    <nav aria-label="Documentation">
      <a class="brand" href="../">Querent</a>
      <details>
        <summary>Documentation</summary>
        <ul>
          ${pages.map(page => `<li><a href="${page.name}.html"${page.name === name ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`).join('\n          ')}
        </ul>
      </details>
    </nav>
    <main>
${html}
    </main>
  </body>
</html>
`

const style = `:root { color-scheme: light dark; --text: light-dark(#1c1f26, #d4d7de); --quiet: light-dark(#565c6b, #adb3c2); --line: light-dark(#dee2e6, #424242); --code: light-dark(#f4f5f7, #2e2e2e); --link: light-dark(#2b50c8, #b3c4f8); }
body { margin: 0; font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; color: var(--text); background: light-dark(#fff, #242424); overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; padding: 0.9rem 1.25rem; border-bottom: 1px solid var(--line); }
nav ul { columns: 16rem; margin: 0.75rem 0 0; padding: 0; list-style: none; }
nav li { padding-block: 0.15rem; }
nav [aria-current] { font-weight: 650; }
.brand { font-weight: 700; text-decoration: none; }
summary { cursor: pointer; color: var(--quiet); }
details { flex: 1; min-width: 12rem; }
main { max-width: 50rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 0.75rem; scroll-margin-top: 1rem; }
h1 { margin-top: 0.5rem; }
:target { background: light-dark(#edf1ff, #2a3350); }
pre, :not(pre) > code { background: var(--code); border-radius: 6px; font: 0.875em/1.55 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
pre { padding: 0.9rem 1rem; overflow-x: auto; overflow-wrap: normal; }
:not(pre) > code { padding: 0.1em 0.3em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92em; }
th, td { padding: 0.45rem 0.75rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; overflow-wrap: normal; }
`
