/** Writes the pages for programs: `llms.txt` (https://llmstxt.org), the Markdown of each page, and the sections as documents for a search. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import GithubSlugger from 'github-slugger'

interface SidebarGroup {
  text?: string
  items?: { text?: string; link?: string }[]
}

interface Site {
  srcDir: string
  outDir: string
  base: string
  title: string
  description: string
  sidebar: readonly SidebarGroup[]
}

/** A part of a page below one heading. The tutorial imports them as documents. */
interface Section {
  id: string
  page: string
  title: string
  guide: string
  address: string
  text: string
  code: string[]
}

export const writePlainText = (site: Site): void => {
  const { srcDir, outDir, base, title, description } = site
  const groups = site.sidebar.map(({ text = '', items = [] }) => ({
    text,
    pages: items.map(({ text: label = '', link = '' }) => readPage(srcDir, label, link)),
  }))
  for (const { pages } of groups)
    for (const { file, source } of pages) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true })
      copyFileSync(source, join(outDir, file))
    }
  const list = groups.map(
    ({ text, pages }) =>
      `## ${text}\n\n${pages.map(({ label, file, summary }) => `- [${label}](${base}${file})${summary && `: ${summary}`}`).join('\n')}\n`,
  )
  writeFileSync(join(outDir, 'llms.txt'), `# ${title}\n\n> ${description}\n\n${list.join('\n')}`)
  const pages = groups.flatMap(group => group.pages)
  writeFileSync(join(outDir, 'llms-full.txt'), pages.map(({ text }) => text).join('\n'))
  const sections = groups.flatMap(({ text, pages }) => pages.flatMap(page => splitSections(page, text, base)))
  writeFileSync(
    join(outDir, 'sections.ndjson'),
    sections.map(section => `${JSON.stringify(section)}\n`).join(''),
  )
}

interface Page {
  label: string
  /** Path on the site, ends with `.md`. */
  file: string
  source: string
  text: string
  summary: string
}

const readPage = (srcDir: string, label: string, link: string): Page => {
  const name = link.slice(1)
  const source = join(srcDir, `${name || 'README'}.md`)
  const text = readFileSync(source, 'utf8')
  return { label, file: `${name || 'index'}.md`, source, text, summary: readSummary(text) }
}

/** The first sentence below the title, if it is text. */
const readSummary = (text: string): string => {
  const paragraph = /^# .+\n+((?:[A-Z][^\n]*\n)+)/m.exec(text)?.[1] ?? ''
  const [sentence = ''] = plain(paragraph).split(/(?<=[.:])\s/)
  return sentence.replace(/:$/, '.')
}

const plain = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\|[\s:|-]+\|$/gm, '')
    .replace(/[`*|]/g, '')
    .replace(/\s+/g, ' ')
    .trim()

const splitSections = ({ file, text, label }: Page, guide: string, base: string): Section[] => {
  const codeBlocks: string[] = []
  // A line of a command may start with a hash, like a heading.
  const withoutCode = text.replace(/^ *```.*\n([\s\S]*?)^ *```$/gm, (_, code: string) => {
    codeBlocks.push(code.trim())
    return `\uE000${codeBlocks.length - 1}\uE000`
  })
  // The second heading of the same text has another anchor.
  const slugger = new GithubSlugger()
  const html = file.replace(/\.md$/, '.html')
  return withoutCode.split(/^(?=#{1,4} )/m).flatMap(part => {
    const heading = /^#{1,4} (.+)/.exec(part)?.[1]
    if (heading === undefined) return []
    const title = plain(heading)
    const anchor = slugger.slug(heading.replaceAll('`', ''))
    const code = [...part.matchAll(/\uE000(\d+)\uE000/g)].map(([, index]) => codeBlocks[Number(index)] ?? '')
    return {
      id: `${file.replace(/\.md$/, '')}/${anchor}`,
      page: label,
      title,
      guide,
      address: `${base}${html}#${anchor}`,
      text: plain(part.slice(part.indexOf('\n')).replace(/\uE000\d+\uE000/g, '')),
      code,
    }
  })
}
