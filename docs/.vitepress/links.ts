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
