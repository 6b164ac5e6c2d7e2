import { Alert, Checkbox, Stack, Text, TextInput } from '@mantine/core'
import type { Group, MemberDefaults, NamedGroup } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { LimitsInputs } from '#ui/limits-inputs.tsx'
import { OpenNamesInput } from '#ui/open-names-input.tsx'
import { areLimits, toLimits, toLimitsDraft } from '#ui/rights-draft.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'
import { toUrlName } from '#ui/url-name.ts'

interface GroupDialogProps extends DialogState {
  workspace: string
  groups: readonly NamedGroup[]
  memberDefaults: MemberDefaults
  /** Undefined: a new one. */
  group?: NamedGroup
}

/** Creates or edits a group. */
export const GroupDialog = ({
  workspace,
  groups,
  memberDefaults,
  group,
  isOpen,
  onClose,
}: GroupDialogProps) => {
  const [typedName, setName] = useState(group?.group)
  const [title, setTitle] = useState(group?.title ?? '')
  const name = typedName ?? toUrlName(title)
  const [apis, setApis] = useState(group?.apis)
  const [collections, setCollections] = useState(group?.collections)
  const [limits, setLimits] = useState(() => toLimitsDraft(group?.limits))
  const [opensDefaults, setOpensDefaults] = useState(false)
  const [isChecked, setChecked] = useState(false)
  const filter = useRowFilter(workspace, group?.filter, 'group')
  const { offeredApis, offeredCollections } = useOffered(workspace)
  const set = useOperation('setGroup')
  const setDefaults = useOperation('setMemberDefaults')
  const nameFault = group || isSent(set) ? undefined : findNameFault(name, groups)
  const { rows, isOpen: opensAll } = filter.state
  const rowFilter = rows.length > 0 || opensAll ? {} : undefined
  const missing = missingDefaults({ filter: rowFilter, apis, collections }, memberDefaults)
  const save = async () => {
    const chosenFilter = filter.read()
    const ownLimits = toLimits(limits)
    setChecked(true)
    if (missing.length > 0 && !opensDefaults) return
    if (chosenFilter === undefined || nameFault !== undefined || !areLimits(limits)) return
    const input: Group = {
      ...(title.trim() === '' ? {} : { title: title.trim() }),
      ...(chosenFilter === null ? {} : { filter: chosenFilter }),
      ...(apis === undefined ? {} : { apis }),
      ...(collections === undefined ? {} : { collections }),
      ...(ownLimits ? { limits: ownLimits } : {}),
    }
    if (missing.length > 0 && opensDefaults)
      await setDefaults.mutateAsync({
        params: { workspace },
        input: { ...memberDefaults, ...openDefaults(missing) },
      })
    await set.mutateAsync({ params: { workspace, group: name }, input })
    onClose()
  }
  return (
    <FormDialog
      title={group ? t('Edit {name}', { name: group.title ?? group.group }) : t('Create group')}
      isOpen={isOpen}
      onClose={onClose}
      submit={group ? t('Save') : t('Create')}
      onSubmit={save}
    >
      <Stack>
        <TextInput
          label={t('Title')}
          description={t('For people, such as Human resources')}
          data-autofocus={!group || undefined}
          value={title}
          maxLength={200}
          onChange={event => setTitle(event.currentTarget.value)}
        />
        {!group && (
          <TextInput
            label={t('Name')}
            description={t(
              'a-z, 0-9 and -, at most 63 characters. Members, providers and documents name the group by it. It cannot change later.',
            )}
            required
            spellCheck={false}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={name === '' ? undefined : nameFault}
          />
        )}
        <RowFilterForm {...filter.state} error={undefined} />
        <OpenNamesInput
          label={t('APIs')}
          offered={offeredApis}
          value={apis}
          onChange={setApis}
          unset={t('Not set by this group')}
        />
        <OpenNamesInput
          label={t('Collections')}
          offered={offeredCollections}
          value={collections}
          onChange={setCollections}
          unset={t('Not set by this group')}
        />
        {missing.length > 0 && (
          <DefaultsQuestion
            isRefused={isChecked && !opensDefaults}
            opensDefaults={opensDefaults}
            onChange={setOpensDefaults}
          />
        )}
        <LimitsInputs value={limits} onChange={setLimits} />
        <Notes />
      </Stack>
    </FormDialog>
  )
}

/** Whether the list may have the name of the group that the form creates. */
const isSent = ({ isPending, isSuccess }: { isPending: boolean; isSuccess: boolean }): boolean =>
  isPending || isSuccess

const Notes = () => (
  <>
    <Text size="sm" c="dimmed">
      {t(
        'To hide a field from other members, such as a purchase price, edit it in Data, the collection, Fields: “Visibility”.',
      )}
    </Text>
    <Text size="sm" c="dimmed">
      {t('Takes effect on the next request of each member.')}
    </Text>
  </>
)

interface DefaultsQuestionProps {
  isRefused: boolean
  opensDefaults: boolean
  onChange: (opensDefaults: boolean) => void
}

const DefaultsQuestion = ({ isRefused, opensDefaults, onChange }: DefaultsQuestionProps) => (
  <Alert color="yellow" variant="light" title={t('Members without this group need a default')}>
    <Stack gap="xs">
      <Text size="sm">
        {t(
          'Otherwise, losing the group would open what it limits. Set the defaults of members first, or let these defaults allow everything.',
        )}
      </Text>
      <Checkbox
        label={t('Let the defaults allow everything that they do not set yet')}
        checked={opensDefaults}
        aria-invalid={isRefused}
        error={isRefused ? t('Tick this, or choose first what members without a group may see.') : undefined}
        onChange={event => onChange(event.currentTarget.checked)}
      />
    </Stack>
  </Alert>
)

const useOffered = (workspace: string) => {
  const params = { workspace }
  const { data: apis } = useQuery(readOperation('listApis', { params }))
  const { data: collections } = useQuery(readOperation('listCollections', { params }))
  return {
    offeredApis: (apis?.items ?? []).map(({ api, title }) => ({ name: api, title })),
    offeredCollections: (collections?.items ?? []).map(({ collection, title }) => ({
      name: collection,
      title,
    })),
  }
}

const findNameFault = (name: string, groups: readonly NamedGroup[]): string | undefined => {
  if (!/^[a-z0-9-]{1,63}$/.test(name)) return t('Use 1 to 63 characters: a-z, 0-9 and -')
  return groups.some(({ group }) => group === name) ? t('A group has this name already') : undefined
}

// Losing a group must never open anything (authorization-server.md, Row filters).
const defaultKeys = ['filter', 'apis', 'collections'] as const
type DefaultKey = (typeof defaultKeys)[number]

/** Returns the keys that a group sets and the defaults do not. */
const missingDefaults = (
  group: { [Key in DefaultKey]?: unknown },
  memberDefaults: MemberDefaults,
): DefaultKey[] => defaultKeys.filter(key => group[key] !== undefined && memberDefaults[key] === undefined)

/** Returns defaults that allow everything. */
const openDefaults = (missing: readonly DefaultKey[]): MemberDefaults => ({
  ...(missing.includes('filter') ? { filter: {} } : {}),
  ...(missing.includes('apis') ? { apis: 'all' as const } : {}),
  ...(missing.includes('collections') ? { collections: 'all' as const } : {}),
})
