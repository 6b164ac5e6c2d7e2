/** The menu of the site. */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DefaultTheme } from 'vitepress'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link: `/${link}` })

const groups: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [
      page('Tutorial', 'tutorial'),
      page('Quickstarts', 'quickstarts'),
      page('Guides by role', 'guides'),
      page('Concepts and glossary', 'glossary'),
      page('Coming from …', 'coming-from'),
      page('All pages', ''),
    ],
  },
  {
    text: 'Search',
    items: [
      page('Describe your search', 'describe-your-search'),
      page('Import data', 'import-data'),
      page('Query', 'query'),
      page('Relevance', 'relevance'),
      page('Console', 'console'),
    ],
  },
  {
    text: 'Applications',
    items: [
      page('Get a token', 'get-a-token'),
      page('Sign people in', 'sign-people-in'),
      page('OAuth libraries', 'libraries'),
      page('TypeScript client', 'client'),
      page('Generate a client', 'generate-a-client'),
      page('AI agents', 'agents'),
    ],
  },
  {
    text: 'People and access',
    items: [
      page('People and accounts', 'people'),
      page('Groups', 'groups'),
      page('Second factors', 'second-factors'),
      page('Sign-in log', 'sign-in-log'),
      page('Usage', 'usage'),
    ],
  },
  {
    text: 'Operation',
    items: [
      page('Deploy', 'deploy'),
      page('Operate', 'operate'),
      page('Watch', 'watch'),
      page('Scale', 'scale'),
      page('Faults', 'faults'),
      page('Performance', 'performance'),
      page('Security', 'security'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Query API', 'reference/query-api'),
      page('Management API', 'reference/management-api'),
      page('Workspace file', 'reference/workspace-file'),
      page('Commands', 'reference/commands'),
      page('Settings', 'reference/settings'),
      page('Errors', 'errors'),
      page('Limits', 'limits'),
      page('Design decisions', 'internals/decisions'),
    ],
  },
]

/** Pages of docs/ without an entry above, by their titles. */
const findOtherPages = (): DefaultTheme.SidebarItem[] => {
  const docs = fileURLToPath(new URL('..', import.meta.url))
  const links = new Set(groups.flatMap(({ items = [] }) => items.map(({ link }) => link)))
  return globSync('*.md', { cwd: docs })
    .filter(path => path !== 'README.md' && !links.has(`/${path.slice(0, -3)}`))
    .sort()
    .map(path => {
      const title = /^# (.+)$/m.exec(readFileSync(`${docs}/${path}`, 'utf8'))?.[1] ?? path
      return page(title.replaceAll('`', ''), path.slice(0, -3))
    })
}

const otherPages = findOtherPages()
export const sidebar = otherPages.length === 0 ? groups : [...groups, { text: 'More', items: otherPages }]
