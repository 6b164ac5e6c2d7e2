/** Inputs that several kinds of endpoints have. */
import { Checkbox, Stack, TextInput } from '@mantine/core'
import type { EndpointKind } from '@querent/contract/endpoint-traits'
import { t } from '#i18n/translate.ts'
import type { FindFault } from '#ui/file-edit-dialog.tsx'

/** An endpoint while it is edited; the server checks the rest. Keys without an input stay as they are. */
export type Draft = { kind: EndpointKind } & Record<string, unknown>

export interface InputsProps {
  draft: Draft
  /** Sets a key; undefined removes it. */
  setKey: (key: string, value: unknown) => void
  /** Sets several keys at once. */
  merge: (part: Record<string, unknown>) => void
  fault: FindFault
}

interface ParameterInputProps extends InputsProps {
  label: string
  /** The name that the parameter has if the file gives none. */
  initial: string
  name?: string
}

export const ParameterInput = ({
  draft,
  setKey,
  fault,
  label,
  initial,
  name = 'parameter',
}: ParameterInputProps) => (
  <TextInput
    label={label}
    description={t('Its name in the address of a query. Empty: {initial}.', { initial })}
    placeholder={initial}
    value={readText(draft[name])}
    error={fault(name)}
    onChange={event => setKey(name, event.currentTarget.value || undefined)}
  />
)

interface FieldsInputProps extends InputsProps {
  fields: readonly string[]
}

/** All text fields, or some of them. */
export const FieldsInput = ({ draft, setKey, fault, fields }: FieldsInputProps) => {
  const chosen = Array.isArray(draft.fields) ? draft.fields.map(String) : undefined
  return (
    <Stack gap="xs">
      <Checkbox
        label={t('All text fields')}
        description={t('Also those that you add later.')}
        checked={chosen === undefined}
        onChange={event => setKey('fields', event.currentTarget.checked ? undefined : fields)}
      />
      {chosen && (
        <Checkbox.Group
          label={t('Fields')}
          value={chosen}
          error={fault('fields')}
          onChange={names => setKey('fields', names)}
        >
          <Stack gap={6} mt={6}>
            {fields.map(name => (
              <Checkbox key={name} value={name} label={name} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  )
}

/** Returns '' for a value that is no text. */
export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')
