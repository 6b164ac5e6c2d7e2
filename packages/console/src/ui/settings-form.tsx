/** The form of a page of settings: inputs, what the server finds wrong, and the button that saves. */
import { Button, Group, Stack, Text } from '@mantine/core'
import type { WorkspaceSettings } from '@querent/contract/manage'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from './error-note.tsx'
import { fieldFault } from './faults.ts'
import { SaveGuard } from './unsaved-changes.tsx'

interface SettingsForm {
  /** Returns what the server finds wrong with a setting, to show at its input. */
  fault: (field: keyof WorkspaceSettings) => string | undefined
}

interface SettingsFormProps {
  workspace: string
  /** Names the form for screen readers, if a page has several. */
  label?: string
  /** The settings in the inputs. Undefined if an input has a value that cannot be saved. */
  readInput: () => Partial<WorkspaceSettings> | undefined
  /** Settings whose inputs show their errors. */
  fields: readonly (keyof WorkspaceSettings)[]
  /** Shown after saving. */
  saved: string
  children: (form: SettingsForm) => ReactNode
}

export const SettingsForm = ({ workspace, label, readInput, fields, saved, children }: SettingsFormProps) => {
  const { mutate, reset, error, isSuccess, isPending } = useOperation('updateSettings')
  const [isSaved, setSaved] = useState(false)
  const [isChanged, setChanged] = useState(false)
  const save = (event: FormEvent) => {
    event.preventDefault()
    const input = readInput()
    setSaved(input !== undefined)
    if (input) mutate({ params: { workspace }, input }, { onSuccess: () => setChanged(false) })
  }
  const noteChange = () => {
    reset()
    setChanged(true)
  }
  return (
    <form onSubmit={save} onChange={noteChange} aria-label={label}>
      <Stack maw={560}>
        {children({ fault: field => fieldFault(error, field) })}
        {error && <ErrorNote error={error} fields={fields} />}
        {isSuccess && isSaved && <Text role="status">{saved}</Text>}
        <Group>
          <Button type="submit" loading={isPending}>
            {t('Save')}
          </Button>
        </Group>
      </Stack>
      <SaveGuard isBlocking={isChanged && !isPending} />
    </form>
  )
}
