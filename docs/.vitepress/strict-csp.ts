/**
 * Makes the pages work under the server's Content-Security-Policy, which allows no inline script and no inline style
 * (packages/server/src/http/console.ts).
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformerStyleToClass } from '@shikijs/transformers'
import type { MarkdownRenderer } from 'vitepress'

/** Gives the colors of code classes instead of style attributes. */
export const codeColors: ReturnType<typeof transformerStyleToClass> = transformerStyleToClass({
  classPrefix: 'code-',
})
export const codeStyleSheet = 'assets/code.css'

/** Call it after all pages are rendered. */
export const writeCodeColors = (outDir: string): void =>
  writeFileSync(join(outDir, codeStyleSheet), codeColors.getCSS())

/** Moves inline scripts into files, and removes style attributes, which the scripts of the theme set again. */
export const moveInlineParts = (html: string, base: string, outDir: string): string =>
  html
    .replace(/<script([^>]*)>([^<]+)<\/script>/g, (element, attributes: string, text: string) => {
      if (/\bsrc=/.test(attributes)) return element
      const name = `assets/inline-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.js`
      mkdirSync(join(outDir, 'assets'), { recursive: true })
      writeFileSync(join(outDir, name), text)
      return `<script${attributes} src="${base}${name}"></script>`
    })
    .replace(/(<[a-z][^<>]*?) style="[^"]*"/g, '$1')

/** Gives the cells of aligned columns classes instead of style attributes, and lets keyboards scroll indented blocks of code. */
export const adaptMarkdown = (md: MarkdownRenderer): void => {
  md.core.ruler.push('adapt-markdown', ({ tokens }) => {
    for (const token of tokens) {
      if (token.type === 'code_block') token.attrSet('tabindex', '0')
      if (token.type !== 'td_open' && token.type !== 'th_open') continue
      const align = /text-align:\s*(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1]
      if (align !== undefined) token.attrs = [['class', `align-${align}`]]
    }
  })
}
