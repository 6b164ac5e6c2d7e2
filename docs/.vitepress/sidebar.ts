/** The menu of the site. Each page of docs/ has one entry (tests/docs/site.test.ts). */
import type { DefaultTheme } from 'vitepress'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link: `/${link}` })

export const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Start',
    items: [page('All pages', '')],
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
      page('Generate a client', 'generate-a-client'),
      page('AI agents', 'agents'),
    ],
  },
  {
    text: 'People and access',
    items: [
      page('People and accounts', 'people'),
      page('Second factors', 'second-factors'),
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
    items: [page('Errors', 'errors'), page('Design decisions', 'internals/decisions')],
  },
]
