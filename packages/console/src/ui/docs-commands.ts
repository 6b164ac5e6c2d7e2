/** The pages of the documentation as entries of the command palette. */
import { IconBook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { t } from '#i18n/translate.ts'
import type { Command } from './commands.ts'

interface DocsPage {
  title: string
  /** `/console/docs/query.html` */
  path: string
}

/** Reads the list that the site has for programs (https://llmstxt.org). A server without the site has none. */
const readDocsPages = async (): Promise<DocsPage[]> => {
  const reply = await fetch('/console/docs/llms.txt')
  if (!reply.ok) return []
  const links = (await reply.text()).matchAll(/^- \[([^\]]+)\]\((\/console\/docs\/[\w/-]+)\.md\)/gm)
  return [...links].map(([, title = '', page = '']) => ({ title, path: `${page}.html` }))
}

export const useDocsCommands = (): Command[] => {
  const { data = [] } = useQuery({
    queryKey: ['docs pages'],
    queryFn: readDocsPages,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  return data.map(({ title, path }) => ({
    label: title,
    group: t('Docs'),
    icon: IconBook,
    isInPlace: true,
    run: () => window.open(path, '_blank', 'noopener'),
  }))
}
