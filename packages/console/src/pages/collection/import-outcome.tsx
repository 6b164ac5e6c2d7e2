import { Alert, List, Text } from '@mantine/core'
import type { ImportReply } from '@querent/contract/query'
import { useQuery } from '@tanstack/react-query'
import type { ImportOptions } from '#api/documents.ts'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { formatCount } from '#ui/format-count.ts'
import { TextLink } from '#ui/links.tsx'
import { documentsId } from './documents.tsx'
import type { ImportResult } from './use-import.ts'

interface ImportOutcomeProps {
  workspace: string
  outcome: ImportResult
}

/** What came of an import. */
export const ImportOutcome = ({ workspace, outcome }: ImportOutcomeProps) =>
  outcome.kind === 'done' ? (
    <Done workspace={workspace} {...outcome} />
  ) : (
    <Alert color="yellow" role="status">
      {describeCancellation(outcome)}
    </Alert>
  )

const describeCancellation = ({ progress, options }: ImportResult & { kind: 'cancelled' }): string => {
  if (!progress) return 'Cancelled. The server has not said what was imported: load the page again to see.'
  const imported = `${formatCount(progress.documents, 'document')} ${progress.documents === 1 ? 'was' : 'were'} imported`
  if (progress.state === 'complete')
    return `The import was complete before it could be cancelled: ${imported}.`
  if (progress.documents > 0) return `Cancelled, ${imported}.`
  return `Cancelled, no documents were imported${options.replace ? ': the collection is as it was' : ''}.`
}

interface DoneProps {
  workspace: string
  reply: ImportReply
  options: ImportOptions
}

const Done = ({ workspace, reply: { accepted, rejected, errors }, options }: DoneProps) => (
  <Alert color={rejected > 0 ? 'yellow' : 'green'} role="status">
    <Text size="sm">
      {formatCount(accepted, 'document')} accepted
      {rejected > 0 && `, ${formatCount(rejected, 'line')} refused`}.{' '}
      {accepted > 0 && <NextStep workspace={workspace} isLive={!options.stage} />}
    </Text>
    {errors.length > 0 && (
      <List size="sm" mt="xs">
        {errors.map(({ line, message }) => (
          <List.Item key={`${line} ${message}`}>
            line {line}: {message}
          </List.Item>
        ))}
      </List>
    )}
  </Alert>
)

interface NextStepProps {
  workspace: string
  /** Whether endpoints answer from what was imported. */
  isLive: boolean
}

/** To "Try it", for who may query and where there is an API; else to the documents below. */
const NextStep = ({ workspace, isLive }: NextStepProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const { data: apis } = useQuery({
    ...readOperation('listApis', { params: { workspace } }),
    enabled: may('query'),
  })
  const [api] = apis?.items ?? []
  if (!isLive && !may('edit'))
    return 'It answers once a member with the role user or administrator promotes it.'
  if (!isLive) return 'Promote the new generation below to have it answer.'
  if (may('query') && api)
    return (
      <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api: api.api }}>
        Try it: {api.title}
      </TextLink>
    )
  if (!may('edit')) return null
  return (
    <TextLink to="." hash={documentsId}>
      See the documents
    </TextLink>
  )
}
