import { Alert, Button, List, Text } from '@mantine/core'
import { groupErrors } from '@querent/contract/error-groups'
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import { listRejectedPlaces, type PlaceRange } from '@querent/contract/rejected-lines'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ImportOptions } from '#api/documents.ts'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tCount, tNodes } from '#i18n/translate.ts'
import { PlaceText } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { saveFile } from '#ui/save-file.ts'
import type { ImportResult } from './use-import.ts'

interface ImportOutcomeProps {
  workspace: string
  collection: string
  outcome: ImportResult
  /** Whether an import of the whole collection has replaced documents. Default: false. */
  hasFormer?: boolean
}

/** Shows the result of an import. */
export const ImportOutcome = ({ workspace, collection, outcome, hasFormer = false }: ImportOutcomeProps) =>
  outcome.kind === 'done' ? (
    <Done workspace={workspace} collection={collection} hasFormer={hasFormer} {...outcome} />
  ) : (
    <Alert color="yellow" role="status">
      {describeCancellation(outcome)}
    </Alert>
  )

const describeCancellation = ({ progress, options }: ImportResult & { kind: 'cancelled' }): string => {
  if (!progress) return t('Canceled. The number of imported documents is unknown: reload the page to see it.')
  const { documents } = progress
  if (progress.state === 'complete')
    return tCount(
      documents,
      'The import finished before it could be canceled: {count} document was imported.',
      'The import finished before it could be canceled: {count} documents were imported.',
    )
  if (documents > 0)
    return tCount(
      documents,
      'Canceled, {count} document was imported.',
      'Canceled, {count} documents were imported.',
    )
  return options.replace
    ? t('Canceled, no documents were imported: the collection is unchanged.')
    : t('Canceled, no documents were imported.')
}

const describeAccepted = (reply: ImportReply | UpdateReply): string[] => {
  const { accepted } = reply
  if ('updated' in reply)
    return [
      tCount(reply.updated, '{count} document changed', '{count} documents changed'),
      ...(accepted > reply.updated
        ? [tCount(accepted - reply.updated, '{count} document created', '{count} documents created')]
        : []),
    ]
  return reply.replaced === 0
    ? [tCount(accepted, '{count} document accepted', '{count} documents accepted')]
    : [
        t('{count} read', { count: accepted }),
        tCount(reply.documents, '{count} document', '{count} documents'),
        t('{count} replaced an earlier one with the same id', { count: reply.replaced }),
      ]
}

const describeReply = (reply: ImportReply | UpdateReply): string =>
  `${[
    ...describeAccepted(reply),
    ...(reply.rejected === 0
      ? []
      : [tCount(reply.rejected, '{count} line rejected', '{count} lines rejected')]),
  ].join(', ')}.`

interface DoneProps {
  workspace: string
  collection: string
  hasFormer: boolean
  reply: ImportReply | UpdateReply
  options: ImportOptions
  file: File
}

const Done = ({ workspace, collection, hasFormer, reply, options, file }: DoneProps) => {
  const { accepted, rejected, errors, reasons, encoding } = reply
  const { replaced, replacedIds, emptyFields } =
    'updated' in reply ? { replaced: 0, replacedIds: undefined, emptyFields: undefined } : reply
  return (
    <Alert color={rejected + replaced > 0 ? 'yellow' : 'green'} role="status">
      <Text size="sm">
        {describeReply(reply)}{' '}
        {accepted > 0 && <NextStep workspace={workspace} collection={collection} isLive={!options.stage} />}
      </Text>
      {errors.length > 0 && (
        <List size="sm" mt="xs">
          {(reasons ?? groupErrors(errors)).map(group => (
            <List.Item key={`${group.first.line} ${group.first.index} ${group.first.message}`}>
              <PlaceText group={group} />
            </List.Item>
          ))}
        </List>
      )}
      {hasFormer && rejected > 0 && options.replace && !options.stage && (
        <WayBack workspace={workspace} collection={collection} />
      )}
      {encoding !== undefined && (
        <Text size="sm" mt="xs">
          {t('The file was read as {encoding}. If letters are wrong, save it as UTF-8 and import it again.', {
            encoding,
          })}
        </Text>
      )}
      {replacedIds !== undefined && (
        <Text size="sm" mt="xs">
          {describeRepeated(replacedIds)}
        </Text>
      )}
      {emptyFields !== undefined && (
        <Text size="sm" mt="xs">
          {t('No document has a value for {fields}. Compare the names with the documents.', {
            fields: emptyFields.join(', '),
          })}
        </Text>
      )}
      {rejected > errors.length && !reasons && (
        <Text size="sm" mt="xs">
          {t('The first {count} are listed.', { count: errors.length })}
        </Text>
      )}
      {errors.length > 0 && (
        <SaveRejected file={file} places={listRejectedPlaces(reply)} rows={options.rows} />
      )}
    </Alert>
  )
}

/** Leads to the generation that the import replaced. */
const WayBack = ({ workspace, collection }: Pick<DoneProps, 'workspace' | 'collection'>) => {
  const { may } = useWorkspaceAccess(workspace)
  if (!may('edit')) return null
  return (
    <Text size="sm" mt="xs">
      {tNodes('The former documents are kept for now: {generations}.', {
        generations: (
          <TextLink to="/w/$workspace/data/$collection/generations" params={{ workspace, collection }}>
            {t('go back to them in Generations')}
          </TextLink>
        ),
      })}
    </Text>
  )
}

/** Ids in a reply. With as many, there may be others. */
const replacedIdsMax = 5

const describeRepeated = (list: readonly string[]): string => {
  const ids = list.join(', ')
  return list.length < replacedIdsMax
    ? t('Of documents with the same id, the last one stays: {ids}.', { ids })
    : t('Of documents with the same id, the last one stays. The first such ids: {ids}.', { ids })
}

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
    return t('Queries use it after a member with the role user or administrator promotes it.')
  if (!isLive)
    return (
      <TextLink to="/w/$workspace/data/$collection/generations" params={{ workspace, collection }}>
        {t('Promote the new generation to make it live')}
      </TextLink>
    )
  if (may('query') && api)
    return (
      <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api: api.api }}>
        {t('Try it: {api}', { api: api.title })}
      </TextLink>
    )
  if (!may('edit')) return null
  return (
    <TextLink to="/w/$workspace/data/$collection" params={{ workspace, collection }}>
      {t('See the documents')}
    </TextLink>
  )
}

interface SaveRejectedProps {
  file: File
  /** Where the rejected documents are, in order. */
  places: readonly PlaceRange[]
  /** Path of the list in the file that was imported, if it is not the longest. */
  rows: string | undefined
}

/** Saves the rejected documents of a file, so that a person can correct and import them. */
const SaveRejected = ({ file, places, rows }: SaveRejectedProps) => {
  const saving = useMutation({
    mutationFn: async () => {
      const { writeRejected } = await import('./write-rejected.ts')
      const { name, type, text } = await writeRejected(file, places, rows)
      saveFile(name, type, text)
    },
  })
  return (
    <Button size="xs" variant="default" mt="sm" loading={saving.isPending} onClick={() => saving.mutate()}>
      {t('Save the rejected documents, to correct and import them')}
    </Button>
  )
}
