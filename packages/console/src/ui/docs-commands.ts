/** The pages of the documentation as entries of the command palette. */
import { useDebouncedValue } from '@mantine/hooks'
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

interface DocsResult {
  page: string
  title: string
  /** Address of the section. */
  address: string
}

/** Rows of the docs' own search. */
const resultsMax = 3
const pauseMs = 150
const charactersMin = 3

const searchDocs = async (text: string): Promise<DocsResult[]> => {
  const reply = await fetch(`/console/docs/search?q=${encodeURIComponent(text)}`)
  if (!reply.ok) return []
  return ((await reply.json()) as { results: DocsResult[] }).results
}

/** The sections that the search of the docs finds, the best ones. */
export const useDocsSearchCommands = (text: string): Command[] => {
  const [search] = useDebouncedValue(text.trim().slice(0, 100), pauseMs)
  const { data = [] } = useQuery({
    queryKey: ['docs search', search],
    queryFn: () => searchDocs(search),
    enabled: search.length >= charactersMin,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!text.trim().startsWith(search)) return []
  return data.slice(0, resultsMax).map(({ page, title, address }) => ({
    label: title === page || title === '' ? page : `${page}: ${title}`,
    group: t('Docs'),
    key: `docs ${address}`,
    icon: IconBook,
    isInPlace: true,
    run: () => window.open(address, '_blank', 'noopener'),
  }))
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
