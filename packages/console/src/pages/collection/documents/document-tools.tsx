import { Button, CopyButton, Group } from '@mantine/core'
import { writeStack } from '@querent/contract/paths'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { StoredDocument } from '#api/documents.ts'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { readHeading } from '#ui/heading.ts'
import { ButtonLink } from '#ui/links.tsx'

interface DocumentToolsProps {
  id: string
  /** The documents of the page. */
  ids: readonly string[]
  document: StoredDocument
  onOpen: (id: string) => void
}

/** Goes to the next document, copies this one, and searches for it. */
export const DocumentTools = ({ id, ids, document, onOpen }: DocumentToolsProps) => {
  const { workspace, summary } = useCollection()
  const { data } = useQuery(readWorkspaceFile(workspace))
  const position = ids.indexOf(id)
  const step = (by: number) => {
    const target = position < 0 ? undefined : ids[position + by]
    return { disabled: target === undefined, onClick: () => target !== undefined && onOpen(target) }
  }
  const { [summary.idField]: _, ...attributes } = document
  const { text } = readHeading({ id, attributes })
  const searches = text !== id && data ? listSearches(data.file, summary.collection) : []
  return (
    <Group gap="xs">
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        {...step(-1)}
      >
        {t('Previous document')}
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        rightSection={<IconChevronRight size={16} aria-hidden />}
        {...step(1)}
      >
        {t('Next document')}
      </Button>
      <CopyButton value={id} timeout={2000}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="default" onClick={copy}>
            {copied ? t('Copied') : t('Copy id')}
          </Button>
        )}
      </CopyButton>
      {searches.map(({ api, title, endpoint, parameter }) => (
        <ButtonLink
          key={api}
          size="compact-sm"
          variant="default"
          to="/w/$workspace/apis/$api"
          params={{ workspace, api }}
          search={{ stack: writeStack([{ endpoint, parameters: [{ name: parameter, value: text }] }]) }}
        >
          {t('Try {api}', { api: title })}
        </ButtonLink>
      ))}
    </Group>
  )
}

/** The first text search of each API in a collection. */
const listSearches = ({ apis = {} }: WorkspaceFile, collection: string) =>
  Object.entries(apis).flatMap(([api, { title = api, endpoints = {} }]) => {
    for (const [endpoint, definition] of Object.entries(endpoints))
      if (definition.kind === 'match' && definition.collection === collection)
        return [{ api, title, endpoint, parameter: definition.parameter ?? 'query' }]
    return []
  })
