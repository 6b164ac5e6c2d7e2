/** Edits groups, attributes, APIs, collections, limits and end of a membership. */
import {
  Button,
  CloseButton,
  Fieldset,
  Group,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import type { Member, MembershipRights, NamedGroup } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { fieldFault } from './faults.ts'
import { LimitsInputs } from './limits-inputs.tsx'
import { OpenNamesInput } from './open-names-input.tsx'
import {
  type AttributeDraft,
  areLimits,
  changedRights,
  emptyAttribute,
  type GrantDraft,
  type RightsChange,
  type RightsDraft,
  toRightsDraft,
} from './rights-draft.ts'

/** Fields whose faults the form shows. */
export const rightsFields = ['groups', 'attributes', 'apis', 'collections', 'limits', 'until'] as const

interface RightsState {
  workspace: string
  draft: RightsDraft
  onChange: (draft: RightsDraft) => void
}

/** State of the form in a dialog. `rights` are the initial ones. */
export const useRightsForm = (workspace: string, rights: MembershipRights) => {
  const [draft, setDraft] = useState(() => toRightsDraft(rights))
  const state: RightsState = { workspace, draft, onChange: setDraft }
  return {
    state,
    /** Returns what changed. Returns undefined if an input has a value that cannot be saved. */
    read: (): RightsChange | undefined =>
      areLimits(draft.limits) ? changedRights(rights, draft) : undefined,
  }
}

interface RightsFormProps extends RightsState {
  /** Rights that a provider gave, which nobody edits. */
  given?: Member['given']
  error: unknown
}

export const RightsForm = ({ workspace, draft, onChange, given, error }: RightsFormProps) => {
  const params = { workspace }
  const { data: rights } = useQuery(readOperation('listGroups', { params }))
  const { data: apis } = useQuery(readOperation('listApis', { params }))
  const { data: collections } = useQuery(readOperation('listCollections', { params }))
  const change = (part: Partial<RightsDraft>) => onChange({ ...draft, ...part })
  const { apis: openApis, collections: openCollections, limits, until, attributes } = draft
  const [isLimited] = useState(
    openApis !== undefined ||
      openCollections !== undefined ||
      until !== '' ||
      attributes.length > 0 ||
      Object.values(limits).some(limit => limit !== undefined),
  )
  if (!rights) return null
  const unset = t('As groups and defaults say')
  return (
    <>
      {(rights.items.length > 0 || draft.groups.length > 0) && (
        <GroupsInput
          offered={rights.items}
          value={draft.groups}
          onChange={groups => change({ groups })}
          given={given}
          error={fieldFault(error, 'groups')}
        />
      )}
      <details className="more-rights" open={isLimited || undefined}>
        <summary>{t('Limits, end and attributes')}</summary>
        <Stack gap="sm" pt="sm">
          <OpenNamesInput
            label={t('APIs')}
            offered={(apis?.items ?? []).map(({ api, title }) => ({ name: api, title }))}
            value={openApis}
            onChange={names => change({ apis: names })}
            unset={unset}
            error={fieldFault(error, 'apis')}
          />
          <OpenNamesInput
            label={t('Collections')}
            offered={(collections?.items ?? []).map(({ collection, title }) => ({ name: collection, title }))}
            value={openCollections}
            onChange={names => change({ collections: names })}
            unset={unset}
            error={fieldFault(error, 'collections')}
          />
          <LimitsInputs
            value={limits}
            onChange={next => change({ limits: next })}
            error={fieldFault(error, 'limits')}
          />
          <EndInput
            label={t('Membership ends')}
            value={until}
            onChange={next => change({ until: next })}
            error={fieldFault(error, 'until')}
          />
          <AttributesInput
            value={attributes}
            onChange={next => change({ attributes: next })}
            error={fieldFault(error, 'attributes')}
          />
        </Stack>
      </details>
    </>
  )
}

interface GroupsInputProps {
  offered: readonly NamedGroup[]
  value: readonly GrantDraft[]
  onChange: (groups: GrantDraft[]) => void
  given: Member['given']
  error: string | undefined
}

const GroupsInput = ({ offered, value, onChange, given = {}, error }: GroupsInputProps) => {
  const readTitle = (name: string) => offered.find(({ group }) => group === name)?.title ?? name
  const free = offered.filter(({ group }) => !value.some(grant => grant.group === group))
  return (
    <Fieldset legend={t('Groups')}>
      <Stack gap="sm">
        {value.map((grant, index) => (
          <Group key={grant.group} gap="sm" wrap="nowrap" align="flex-end">
            <Text size="sm" flex={1} miw={0} mb={8} style={{ overflowWrap: 'anywhere' }}>
              {readTitle(grant.group)}
            </Text>
            <EndInput
              label={t('{group} ends', { group: readTitle(grant.group) })}
              value={grant.until}
              onChange={until => onChange(value.with(index, { ...grant, until }))}
            />
            <CloseButton
              mb={4}
              aria-label={t('Remove group {group}', { group: readTitle(grant.group) })}
              onClick={() => onChange(value.toSpliced(index, 1))}
            />
          </Group>
        ))}
        {Object.entries(given).map(([issuer, { groups }]) =>
          groups.length === 0 ? null : (
            <Text key={issuer} size="sm" c="dimmed">
              {t('{issuer} gives: {groups}', { issuer, groups: groups.map(readTitle).join(', ') })}
            </Text>
          ),
        )}
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        {free.length > 0 && (
          <Select
            // Empty again after each choice.
            key={value.length}
            label={t('Add group')}
            data={free.map(({ group, title }) => ({ value: group, label: title ?? group }))}
            value={null}
            onChange={group => group !== null && onChange([...value, { group, until: '' }])}
            searchable
            placeholder={t('Choose a group')}
            nothingFoundMessage={t('Nothing found')}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

interface EndInputProps {
  label: string
  value: string
  onChange: (until: string) => void
  error?: string | undefined
}

/** A date, which includes that day in UTC. A time that a file has is shown as it is. */
const EndInput = ({ label, value, onChange, error }: EndInputProps) => {
  const [isDate] = useState(value === '' || /^\d{4}-\d{2}-\d{2}$/.test(value))
  return (
    <TextInput
      label={label}
      type={isDate ? 'date' : 'text'}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      error={error}
    />
  )
}

interface AttributesInputProps {
  value: readonly AttributeDraft[]
  onChange: (attributes: AttributeDraft[]) => void
  error: string | undefined
}

const AttributesInput = ({ value, onChange, error }: AttributesInputProps) => (
  <Fieldset legend={t('Attributes')}>
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('Row filters of groups can compare a field with an attribute of the member, such as department.')}
      </Text>
      {value.map((attribute, index) => (
        <Group key={attribute.key} gap="sm" wrap="nowrap" align="flex-end">
          <TextInput
            label={t('Attribute')}
            w={140}
            spellCheck={false}
            value={attribute.name}
            onChange={event => onChange(value.with(index, { ...attribute, name: event.currentTarget.value }))}
          />
          <TagsInput
            label={t('Its values')}
            flex={1}
            miw={0}
            value={attribute.values}
            onChange={values => onChange(value.with(index, { ...attribute, values }))}
          />
          <CloseButton
            mb={4}
            aria-label={t('Remove attribute {attribute}', { attribute: attribute.name })}
            onClick={() => onChange(value.toSpliced(index, 1))}
          />
        </Group>
      ))}
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      <Button
        variant="default"
        size="compact-sm"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => onChange([...value, emptyAttribute()])}
      >
        {t('Add attribute')}
      </Button>
    </Stack>
  </Fieldset>
)
