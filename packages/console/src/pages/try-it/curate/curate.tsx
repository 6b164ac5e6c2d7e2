import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import type { documentIds } from '@querent/contract/document-id'
import { curationEdit } from '@querent/contract/edit-workspace-text'
import { isEqual } from '@querent/contract/plain-data'
import type { ResultItem } from '@querent/contract/query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { ReviewEdit } from '#pages/try-it/review-edit.tsx'
import type { TextQuery } from '#pages/try-it/text-query.ts'
import { DocumentName } from '#ui/document-name.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { readHeading } from '#ui/heading.ts'
import { Loading } from '#ui/loading.tsx'
import { SortableList } from '#ui/sortable-list.tsx'
import { tellApart } from '#ui/tell-apart.ts'
import {
  buryResult,
  type CurationDraft,
  findIds,
  moveRow,
  pinResult,
  readCuration,
  releaseResult,
  writeCuration,
} from './curation-draft.ts'

interface CurateProps {
  workspace: string
  api: string
  query: TextQuery
  /** The first page. */
  items: readonly ResultItem[]
  /** Learns whether there is something to save. */
  onChange: (hasEdits: boolean) => void
}

/** A change of these in the address shows other results. */
const parameters = ['stack', 'page', 'show']

/** Pins, buries and orders the results of a text, and saves that as a rule of the workspace file. */
export const Curate = ({ workspace, api, query, items, onChange }: CurateProps) => {
  const { content, error } = useWorkspaceFileEdit(workspace)
  /** Undefined: as it is saved. */
  const [draft, setDraft] = useState<CurationDraft>()
  /** The result that a button moved last: it keeps the focus. */
  const [moved, setMoved] = useState<string>()
  if (error !== null && error !== undefined) return <ErrorNote error={error} />
  if (!content) return <Loading />
  const ids = findIds(content.file, api, query.endpoint)
  if (!ids) return <Text>{t('Only results of an endpoint of kind match can be pinned and buried.')}</Text>
  const rules = content.file.apis?.[api]?.curation ?? []
  const results = items.flatMap(({ tuple: [entity] }) => entity?.id ?? [])
  const saved = readCuration(rules, query, results, ids)
  const current = draft ?? saved
  const nextRules = writeCuration(rules, query, current, ids)
  const edits = isEqual(nextRules, rules) ? [] : [curationEdit(api, nextRules)]
  const titles = readTitles(items, ids)
  const row = (uri: string, place: keyof CurationDraft) => {
    const title = titles.get(uri) ?? ids.toId(uri)
    const move = (next: CurationDraft) => () => {
      setDraft(next)
      setMoved(uri)
    }
    return {
      key: uri,
      name: title,
      content: (
        <CuratedRow
          title={title}
          heading={
            titles.has(uri) ? (
              title
            ) : (
              <DocumentName workspace={workspace} api={api} endpoint={query.endpoint} id={uri} />
            )
          }
          place={place}
          isMoved={moved === uri}
          onPin={move(pinResult(current, uri))}
          onBury={move(buryResult(current, uri))}
          onRelease={move(releaseResult(current, uri, results))}
        />
      ),
    }
  }
  return (
    <Stack gap="md">
      <Text size="sm">
        {t(
          'Order of the results for “{text}”. Drag a result, or use its buttons. A moved result is pinned, with those above it.',
          { text: query.text.trim() },
        )}
      </Text>
      <ReviewEdit
        workspace={workspace}
        edits={edits}
        onDone={() => setDraft(undefined)}
        onChange={onChange}
        parameters={parameters}
      />
      <SortableList
        label={t('Results')}
        items={[
          ...current.pinned.map(uri => row(uri, 'pinned')),
          ...current.ranked.map(uri => row(uri, 'ranked')),
          {
            key: 'line',
            name: t('Last in the results'),
            isFixed: true,
            content: (
              <Text size="sm" c="dimmed">
                {t('Buried results, below: last in the results')}
              </Text>
            ),
          },
          ...current.buried.map(uri => row(uri, 'buried')),
        ]}
        onMove={(from, target) => setDraft(moveRow(current, from, target))}
      />
    </Stack>
  )
}

/** Returns the titles by URI. Documents with the same title have values that differ and their ids too. */
const readTitles = (items: readonly ResultItem[], ids: ReturnType<typeof documentIds>) => {
  const headings = items.flatMap(({ tuple: [entity] }) =>
    entity ? [{ uri: entity.id, text: readHeading(entity).text }] : [],
  )
  const differences = tellApart(items.flatMap(({ tuple: [entity] }) => entity ?? []))
  const byText = Map.groupBy(headings, ({ text }) => text)
  return new Map(
    headings.map(({ uri, text }) => {
      const isShared = (byText.get(text)?.length ?? 0) > 1
      if (!isShared) return [uri, text]
      return [uri, [text, differences.get(uri), ids.toId(uri)].filter(part => part !== undefined).join(' · ')]
    }),
  )
}

interface CuratedRowProps {
  title: string
  heading: ReactNode
  place: keyof CurationDraft
  isMoved: boolean
  onPin: () => void
  onBury: () => void
  onRelease: () => void
}

const CuratedRow = ({ title, heading, place, isMoved, onPin, onBury, onRelease }: CuratedRowProps) => {
  const buttons = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: in a new place, the row has new buttons
  useEffect(() => {
    if (isMoved) buttons.current?.querySelector('button')?.focus()
  }, [isMoved, place])
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {heading}
        </Text>
        {place === 'pinned' && <Badge variant="light">{t('Pinned')}</Badge>}
        {place === 'buried' && (
          <Badge variant="light" color="gray">
            {t('Buried')}
          </Badge>
        )}
      </Group>
      <Group gap={4} ref={buttons}>
        {place === 'ranked' ? (
          <>
            <RowButton label={t('Pin')} description={t('Pin {title}', { title })} onClick={onPin} />
            <RowButton label={t('Bury')} description={t('Bury {title}', { title })} onClick={onBury} />
          </>
        ) : (
          <RowButton
            label={place === 'pinned' ? t('Unpin') : t('Restore')}
            description={place === 'pinned' ? t('Unpin {title}', { title }) : t('Restore {title}', { title })}
            onClick={onRelease}
          />
        )}
      </Group>
    </Group>
  )
}

const RowButton = ({
  label,
  description,
  onClick,
}: {
  label: string
  description: string
  onClick: () => void
}) => (
  <Button size="compact-sm" variant="default" aria-label={description} onClick={onClick}>
    {label}
  </Button>
)
