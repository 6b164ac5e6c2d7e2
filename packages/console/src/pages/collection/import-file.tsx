import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core'
import { ApiError } from '@querent/client'
import type { CollectionSummary, Generation } from '@querent/contract/manage'
import { lazy, Suspense, useRef, useState } from 'react'
import type { ImportOptions } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { FileDrop } from '#ui/file-drop.tsx'
import { Loading } from '#ui/loading.tsx'
import { describeRefusal } from './describe-refusal.ts'
import { ImportOutcome } from './import-outcome.tsx'
import { ImportProgress } from './import-progress.tsx'
import type { useImport } from './use-import.ts'

const ImportPreview = lazy(async () => ({ default: (await import('./import-preview.tsx')).ImportPreview }))
const ConfirmReplace = lazy(async () => ({ default: (await import('./confirm-replace.tsx')).ConfirmReplace }))

interface ImportFileProps {
  workspace: string
  /** `idField` holds the id of a document, unless the server makes it. */
  summary: Pick<CollectionSummary, 'collection' | 'idField' | 'generatedId'>
  /** Undefined: the person may not see them. */
  generations: readonly Generation[] | undefined
  upload: ReturnType<typeof useImport>
}

/** Imports a file of documents, and shows the progress and the result. */
export const ImportFile = ({ workspace, summary, generations, upload }: ImportFileProps) => {
  const { collection, idField, generatedId } = summary
  // Only an import of the whole file has positions for ids.
  const isWhole = generatedId === 'row'
  const [options, setOptions] = useState<ImportOptions>({ replace: isWhole, stage: false, strict: false })
  const [rejection, setRejection] = useState<string>()
  /** File that is shown before it is imported. */
  const [chosenFile, setChosenFile] = useState<File>()
  /** Import that replaces all documents after a confirmation. */
  const [pending, setPending] = useState<{ file: File; options: ImportOptions }>()
  const { underway, outcome, error, start, cancel, clear } = upload
  /** The next file adds to the collection again, unless the person chooses otherwise. */
  const resetOptions = () => setOptions(({ strict }) => ({ replace: isWhole, stage: false, strict }))
  const zone = useRef<HTMLDivElement>(null)
  const take = (files: File[]) => {
    const [file] = files
    if (!file) return
    // Without this, choosing the same file again fires no event.
    const input = zone.current?.querySelector('input')
    if (input) input.value = ''
    clear()
    describeRefusal(file).then(
      refusal => {
        setRejection(refusal)
        if (refusal === undefined) setChosenFile(file)
      },
      // The file was moved or deleted.
      (failure: Error) => setRejection(failure.message),
    )
  }
  const importChosen = (file: File, delimiter: string | undefined) => {
    const chosenOptions = { ...options, ...(delimiter === undefined ? {} : { delimiter }) }
    if (options.replace && !options.stage) setPending({ file, options: chosenOptions })
    else begin(file, chosenOptions)
  }
  const begin = (file: File, chosenOptions: ImportOptions) => {
    setChosenFile(undefined)
    start(file, chosenOptions, resetOptions)
  }
  const option = (name: 'replace' | 'stage' | 'strict' | 'update' | 'create') => ({
    checked: options[name] === true,
    disabled: underway !== undefined,
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setOptions({ ...options, [name]: event.currentTarget.checked }),
  })
  return (
    <Stack gap="sm">
      <FileDrop zone={zone} onDrop={take} isDisabled={underway !== undefined} height={90}>
        {t('CSV and other tables of text, NDJSON, JSON or GeoJSON, of any size, also as .gz.')}{' '}
        {options.update
          ? t('The values of a document change the one with the same {idField}; all others stay.', {
              idField,
            })
          : describeIds(idField, generatedId)}
      </FileDrop>
      <Group gap="lg">
        {!options.update && <Checkbox label={t('Replace the whole collection')} {...option('replace')} />}
        {!options.replace && <Checkbox label={t('Change stored documents')} {...option('update')} />}
        {options.update && !options.replace && (
          <Checkbox label={t('Create those that are new')} {...option('create')} />
        )}
        {options.replace && <Checkbox label={t('Stage only')} {...option('stage')} />}
        <Checkbox label={t('All or nothing')} {...option('strict')} />
      </Group>
      {rejection !== undefined && (
        <Alert color="red" role="alert">
          {rejection}
        </Alert>
      )}
      <Suspense fallback={<Loading />}>
        {chosenFile && !underway && (
          <ImportPreview
            key={`${chosenFile.name} ${chosenFile.size} ${chosenFile.lastModified}`}
            file={chosenFile}
            onImport={importChosen}
            onCancel={() => setChosenFile(undefined)}
          />
        )}
      </Suspense>
      {underway && <ImportProgress underway={underway} onCancel={cancel} />}
      {error && <ErrorNote error={error} />}
      {hasBadRows(error) && upload.file && upload.options?.strict && (
        <Group>
          <Button
            variant="default"
            onClick={() =>
              upload.file && begin(upload.file, { ...options, ...upload.options, strict: false })
            }
          >
            {t('Import without these rows')}
          </Button>
        </Group>
      )}
      {outcome && <ImportOutcome workspace={workspace} collection={collection} outcome={outcome} hasFormer />}
      <Suspense>
        {pending && (
          <ConfirmReplace
            file={pending.file}
            collection={collection}
            generations={generations}
            isStrict={pending.options.strict === true}
            onClose={() => setPending(undefined)}
            onConfirm={() => begin(pending.file, pending.options)}
          />
        )}
      </Suspense>
    </Stack>
  )
}

const describeIds = (idField: string, generatedId: CollectionSummary['generatedId']): string => {
  if (generatedId === 'row') return t('Import the whole file each time: it replaces all documents')
  if (generatedId === 'hash') return t('A document that has changed is imported as a new one')
  return t('A document replaces the one with the same {idField}.', { idField })
}

/** Whether an import of all or nothing failed by rows that it could leave out. */
const hasBadRows = (error: unknown): boolean => error instanceof ApiError && error.errors.length > 0
