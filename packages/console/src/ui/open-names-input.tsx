import { Checkbox, NativeSelect, Stack } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import type { OpenNames } from './rights-draft.ts'

interface OpenNamesInputProps {
  label: string
  /** Those that exist. */
  offered: readonly { name: string; title: string }[]
  value: OpenNames
  onChange: (value: OpenNames) => void
  /** Label of the choice that says nothing. */
  unset: string
  error?: string | undefined
}

/** Chooses the APIs or collections that a member or a group opens. No name at all opens none. */
export const OpenNamesInput = ({ label, offered, value, onChange, unset, error }: OpenNamesInputProps) => {
  const choice = value === undefined ? 'unset' : value === 'all' ? 'all' : 'some'
  const choose = (next: string) => onChange(next === 'unset' ? undefined : next === 'all' ? 'all' : [])
  const chosen = Array.isArray(value) ? value : []
  return (
    <Stack gap="xs">
      <NativeSelect
        label={label}
        data={[
          { value: 'unset', label: unset },
          { value: 'all', label: t('All') },
          { value: 'some', label: t('Only the chosen ones') },
        ]}
        value={choice}
        onChange={event => choose(event.currentTarget.value)}
        error={error}
      />
      {choice === 'some' && (
        <Checkbox.Group
          aria-label={t('Chosen for {label}', { label })}
          value={chosen}
          onChange={onChange}
          description={chosen.length === 0 ? t('None is chosen: none is open.') : undefined}
        >
          <Stack gap={6} className="names-choice">
            {[...new Set([...offered.map(({ name }) => name), ...chosen])].map(name => (
              <Checkbox
                key={name}
                value={name}
                label={offered.find(each => each.name === name)?.title ?? name}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  )
}
