import { Alert, List, Text } from '@mantine/core'
import type { ImportReply } from '@querent/contract/query'
import { useQuery } from '@tanstack/react-query'
import type { ImportOptions } from '#api/documents.ts'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { formatCount } from '#ui/format-count.ts'
import { TextLink } from '#ui/links.tsx'
import type { ImportResult } from './use-import.ts'

interface ImportOutcomeProps {
  workspace: string
  collection: string
  outcome: ImportResult
}

/** Shows the result of an import. */
export const ImportOutcome = ({ workspace, collection, outcome }: ImportOutcomeProps) =>
  outcome.kind === 'done' ? (
    <Done workspace={workspace} collection={collection} {...outcome} />
  ) : (
    <Alert color="yellow" role="status">
      {describeCancellation(outcome)}
    </Alert>
  )

const describeCancellation = ({ progress, options }: ImportResult & { kind: 'cancelled' }): string => {
  if (!progress) return 'Canceled. The number of imported documents is unknown: reload the page to see it.'
  const imported = `${formatCount(progress.documents, 'document')} ${progress.documents === 1 ? 'was' : 'were'} imported`
  if (progress.state === 'complete') return `The import finished before it could be canceled: ${imported}.`
  if (progress.documents > 0) return `Canceled, ${imported}.`
  return `Canceled, no documents were imported${options.replace ? ': the collection is unchanged' : ''}.`
}

interface DoneProps {
  workspace: string
  collection: string
  reply: ImportReply
  options: ImportOptions
}

const Done = ({ workspace, collection, reply: { accepted, rejected, errors }, options }: DoneProps) => (
  <Alert color={rejected > 0 ? 'yellow' : 'green'} role="status">
    <Text size="sm">
      {formatCount(accepted, 'document')} accepted
      {rejected > 0 && `, ${formatCount(rejected, 'line')} rejected`}.{' '}
      {accepted > 0 && <NextStep workspace={workspace} collection={collection} isLive={!options.stage} />}
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
  collection: string
  /** Whether queries use the imported documents. */
  isLive: boolean
}

/** Links to "Try it" if the person may query an API, or else to the documents. */
const NextStep = ({ workspace, collection, isLive }: NextStepProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const { data: apis } = useQuery({
    ...readOperation('listApis', { params: { workspace } }),
    enabled: may('query'),
  })
  const [firstApi] = apis?.items ?? []
  const api = apis?.items.find(item => item.api === collection) ?? firstApi
  if (!isLive && !may('edit'))
    return 'Queries use it after a member with the role user or administrator promotes it.'
  if (!isLive)
    return (
      <TextLink to="/w/$workspace/data/$collection/generations" params={{ workspace, collection }}>
        {t('Promote the new generation to make it live')}
      </TextLink>
    )
  if (may('query') && api)
    return (
      <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api: api.api }}>
        Try it: {api.title}
      </TextLink>
    )
  if (!may('edit')) return null
  return (
    <TextLink to="/w/$workspace/data/$collection" params={{ workspace, collection }}>
      {t('See the documents')}
    </TextLink>
  )
}
