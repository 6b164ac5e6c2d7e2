/** Chooses who sees a field (workspace-file.md, Hidden fields). Only administrators change it. */
import { Checkbox, NativeSelect, Stack, Text } from '@mantine/core'
import type { Collection } from '@querent/contract/workspace-file'
import { useQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'

interface FieldSightInputProps {
  workspace: string
  definition: Collection
  /** Name of the field. */
  name: string
  /** The attribute that the field copies; undefined: none. */
  source: string | undefined
  /** The groups that see it; undefined: everybody. */
  value: readonly string[] | undefined
  onChange: (groups: string[] | undefined) => void
  error: string | undefined
}

export const FieldSightInput = ({ workspace, definition, name, source, ...input }: FieldSightInputProps) => {
  const { may } = useWorkspaceAccess(workspace)
  if (!may('administer')) return null
  const original = source === undefined ? undefined : definition.fields?.[source]
  if (source !== undefined && original && source !== name)
    return (
      <Text size="sm" c="dimmed">
        {t('The same people see it as {field}, of which it is a copy.', { field: original.title ?? source })}
      </Text>
    )
  return <GroupChoice {...input} workspace={workspace} namesReaders={definition.readers?.field === name} />
}

interface GroupChoiceProps extends Pick<FieldSightInputProps, 'workspace' | 'value' | 'onChange' | 'error'> {
  /** Whether its values name the readers of documents. */
  namesReaders: boolean
}

const GroupChoice = ({ workspace, value, onChange, error, namesReaders }: GroupChoiceProps) => {
  const { data } = useQuery(readOperation('listGroups', { params: { workspace } }))
  const groups = (data?.items ?? []).map(({ group, title }) => ({ group, label: title ?? group }))
  const chosen = [...(value ?? [])]
  // Whatever the list says, a name of the file stays.
  const unlisted = chosen
    .filter(name => !groups.some(({ group }) => group === name))
    .map(group => ({ group, label: group }))
  return (
    <Stack gap="xs">
      <NativeSelect
        label={t('Visibility')}
        description={t(
          'For all others the field does not exist: not in documents, facets, searches and exports.',
        )}
        data={[
          {
            value: 'all',
            label: namesReaders
              ? t('Administrators, because it names the readers of documents')
              : t('Everybody who sees the document'),
          },
          { value: 'some', label: t('Administrators and these groups') },
        ]}
        value={value === undefined ? 'all' : 'some'}
        error={error}
        onChange={event => onChange(event.currentTarget.value === 'all' ? undefined : [])}
      />
      {value !== undefined && (
        <Checkbox.Group
          aria-label={t('Groups that see it')}
          value={chosen}
          onChange={onChange}
          description={chosen.length === 0 ? t('No group is chosen: administrators only.') : undefined}
        >
          <Stack gap={6} className="names-choice">
            {[...groups, ...unlisted].map(({ group, label }) => (
              <Checkbox key={group} value={group} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  )
}
