import { Stack } from '@mantine/core'
import { isByRow, type Proposal, proposedApi } from '@querent/contract/proposal'
import { useEffect, useRef } from 'react'
import { ImportGuard } from '#pages/collection/import-guard.tsx'
import { ImportOutcome } from '#pages/collection/import-outcome.tsx'
import { ImportProgress } from '#pages/collection/import-progress.tsx'
import { useImport } from '#pages/collection/use-import.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { FailedImport } from './failed-import.tsx'
import { FirstSearch } from './first-search.tsx'
import { ImportedDocuments } from './imported-documents.tsx'
import { RepeatedIds } from './repeated-ids.tsx'

interface ImportStepProps {
  workspace: string
  proposal: Proposal
  file: File
  /** Path of the list of documents in the file, if it is not the longest. */
  rows: string | undefined
}

/** Imports the file into the new collection, and says what to do next. */
export const ImportStep = ({ workspace, proposal, file, rows }: ImportStepProps) => {
  const { collection, title } = proposal
  const { underway, outcome, error, start, cancel } = useImport(workspace, collection)
  const begin = (replace = isByRow(proposal)) =>
    start(file, { replace, stage: false, strict: false, ...(rows === undefined ? {} : { rows }) }, () => {})
  const hasBegun = useRef(false)
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    begin()
  })
  const result = useRef<HTMLDivElement>(null)
  // The next Tab reaches the link that tries the search.
  useEffect(() => {
    if (outcome) result.current?.focus()
  }, [outcome])
  return (
    <Stack gap="sm">
      {underway && (
        <>
          <ImportGuard underway={underway} />
          <ImportProgress underway={underway} onCancel={cancel} />
        </>
      )}
      {error && (
        <>
          <ErrorNote error={error} />
          <FailedImport workspace={workspace} collection={collection} onRetry={() => begin()} />
        </>
      )}
      <div ref={result} tabIndex={-1}>
        {outcome && <ImportOutcome workspace={workspace} collection={collection} outcome={outcome} />}
      </div>
      {outcome?.kind === 'done' &&
        'replaced' in outcome.reply &&
        outcome.reply.replaced > 0 &&
        'field' in proposal.id && (
          <RepeatedIds
            workspace={workspace}
            collection={collection}
            field={proposal.id.field}
            onChanged={() => begin(true)}
          />
        )}
      {outcome?.kind === 'done' && outcome.reply.accepted > 0 && hasSearch(proposal) && (
        <FirstSearch workspace={workspace} api={collection} title={title} />
      )}
      {outcome?.kind === 'done' && outcome.reply.accepted > 0 && (
        <ImportedDocuments workspace={workspace} proposal={proposal} />
      )}
    </Stack>
  )
}

const hasSearch = (proposal: Proposal): boolean =>
  Object.hasOwn(proposedApi(proposal).endpoints ?? {}, 'search')
