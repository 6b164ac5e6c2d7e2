import { Button, Group } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { Loading } from './loading.tsx'

interface LogEntriesProps<Entry> {
  /** Pages of the log, newest first. */
  query: UseInfiniteQueryResult<InfiniteData<{ items: Entry[] }>>
  /** Error of another request of the page, such as an export. */
  otherError: Error | null
  children: (items: Entry[]) => ReactNode
}

/** The entries of a log that were read so far, and a button for older ones. */
export const LogEntries = <Entry,>({ query, otherError, children }: LogEntriesProps<Entry>) => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const items = data?.pages.flatMap(page => page.items) ?? []
  const shownError = error ?? otherError
  return (
    <>
      {shownError && <ErrorNote error={shownError} />}
      {!data && !error && <Loading />}
      {data && items.length === 0 && <Empty title={t('No entries found')}>{t('Try other filters.')}</Empty>}
      {items.length > 0 && children(items)}
      {hasNextPage && (
        <Group>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {t('Show older entries')}
          </Button>
        </Group>
      )}
    </>
  )
}
