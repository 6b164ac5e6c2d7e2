/** Chooses the field of each document that names its readers (authorization-server.md, Readers). Only administrators change it. */
import { NativeSelect, TextInput } from '@mantine/core'
import type { Collection } from '@querent/contract/workspace-file'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import type { FindFault } from '#ui/file-edit-dialog.tsx'

export interface ReadersDraft {
  /** Empty: documents name no readers. */
  readersField: string
  /** Empty: no name means everybody. */
  everyone: string
}

export const readReaders = (readers: Collection['readers']): ReadersDraft => ({
  readersField: readers?.field ?? '',
  everyone: readers?.everyone ?? '',
})

export const writeReaders = ({ readersField, everyone }: ReadersDraft): Collection['readers'] =>
  readersField === '' ? undefined : { field: readersField, ...(everyone === '' ? {} : { everyone }) }

interface ReadersInputProps {
  workspace: string
  definition: Collection
  draft: ReadersDraft
  onChange: (part: Partial<ReadersDraft>) => void
  fault: FindFault
}

export const ReadersInput = ({ workspace, definition, draft, onChange, fault }: ReadersInputProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const fields = Object.entries(definition.fields ?? {}).filter(
    ([name, field]) =>
      name === draft.readersField || (field.type === 'keyword' && field.source === undefined),
  )
  if (!may('administer')) return null
  return (
    <>
      <NativeSelect
        label={t('Readers of documents')}
        description={t(
          'A keyword field names who reads each document: e-mail addresses, groups and Client IDs. Documents without a name are for administrators only.',
        )}
        data={[
          { value: '', label: t('Everybody who may open the collection') },
          ...fields.map(([name, { title = name }]) => ({
            value: name,
            label: t('Those that {field} names', { field: title }),
          })),
        ]}
        value={draft.readersField}
        error={fault('readers.field')}
        onChange={event => onChange({ readersField: event.currentTarget.value })}
      />
      {draft.readersField !== '' && (
        <TextInput
          label={t('Name that means every member')}
          description={t('Documents with this value are for everybody. Empty: there is none.')}
          placeholder="*"
          value={draft.everyone}
          error={fault('readers.everyone')}
          onChange={event => onChange({ everyone: event.currentTarget.value.trim() })}
        />
      )}
    </>
  )
}
