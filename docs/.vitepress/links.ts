/** Links of the pages: the site has the anchors of GitHub, and no links to files outside docs/. */
import { posix } from 'node:path'
import { slug } from 'github-slugger'
import type { MarkdownRenderer } from 'vitepress'

/** Makes the anchor of a heading as GitHub makes it. */
export const slugify = (heading: string): string => slug(heading)

const isInDocs = (page: string, href: string): boolean =>
  /^([a-z][a-z0-9+.-]*:|#|\/)/i.test(href) ||
  (!/^(\.\.|images)\//.test(posix.join(posix.dirname(page), href)) && /\.md(#|$)/.test(href))

/** Shows links to files that the site doesn't have, such as those of examples/, as text. */
export const unlinkOtherFiles = (md: MarkdownRenderer): void => {
  md.core.ruler.push('unlink-other-files', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let removed = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const href = String(token.attrGet('href') ?? '')
          removed = !isInDocs(String(env.relativePath), href)
          // It is the start page of the site.
          token.attrSet('href', href.replace(/^(?:\.\/)?README\.md(?=#|$)/, './index.md'))
        }
        if (!removed || !token.type.startsWith('link_')) continue
        if (token.type === 'link_close') removed = false
        Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '', attrs: null })
      }
    }
  })
}

/** Pages that only the site has, because they are generated: GitHub shows their names in README.md as text. */
const generatedPages: ReadonlyMap<string, string> = new Map([
  ['Commands', 'reference/commands'],
  ['Settings', 'reference/settings'],
  ['Workspace file', 'reference/workspace-file'],
  ['Management API', 'reference/management-api'],
])

/** Makes the names of generated pages on the start page links to them. */
export const linkGeneratedPages = (md: MarkdownRenderer): void => {
  md.core.ruler.after('inline', 'link-generated-pages', ({ tokens, env, Token }) => {
    if (!/^(?:README|index)\.md$/.test(String(env.relativePath))) return
    for (const token of tokens)
      token.children = (token.children ?? []).flatMap((child, index, children) => {
        const page =
          children[index - 1]?.type === 'strong_open' ? generatedPages.get(child.content) : undefined
        if (child.type !== 'text' || page === undefined) return [child]
        const open = new Token('link_open', 'a', 1)
        open.attrSet('href', `./${page}.md`)
        return [open, child, new Token('link_close', 'a', -1)]
      })
  })
}
