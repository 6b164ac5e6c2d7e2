import { Button, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type DocumentFilter, downloadDocuments } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { saveFile } from '#ui/save-file.ts'

const bytesPerMegabyte = 1024 * 1024

/** Saves all found documents as NDJSON, which can be imported again. */
export const ExportDocuments = ({ filter }: { filter: DocumentFilter }) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const [bytes, setBytes] = useState(0)
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const download = useMutation({
    mutationFn: async () => {
      const started = new AbortController()
      controller.current = started
      setBytes(0)
      const blob = await downloadDocuments(workspace, collection, filter, setBytes, started.signal).catch(
        error => {
          if (started.signal.aborted) return undefined
          throw error
        },
      )
      if (blob) saveFile(`${collection}.ndjson`, 'application/x-ndjson', blob)
    },
  })
  return (
    <>
      {download.isPending && (
        <Text size="sm" role="status">
          {t('{megabytes} MB exported', { megabytes: Math.floor(bytes / bytesPerMegabyte) })}
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        onClick={() => (download.isPending ? controller.current?.abort() : download.mutate())}
      >
        {download.isPending ? t('Cancel the export') : t('Export')}
      </Button>
      {download.error && <ErrorNote error={download.error} />}
    </>
  )
}
