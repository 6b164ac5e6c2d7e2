/** The form of a page of settings: inputs, what the server finds wrong, and the button that saves. */
import { Button, Group, Stack, Text } from '@mantine/core'
import type { WorkspaceSettings } from '@querent/contract/manage'
import { type FormEvent, lazy, type ReactNode, Suspense, useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { ConfirmDialogProps } from './confirm-dialog.tsx'
import { ErrorNote } from './error-note.tsx'
import { fieldFault } from './faults.ts'
import { SaveGuard } from './unsaved-changes.tsx'

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }))

interface SettingsForm {
  /** Returns what the server finds wrong with a setting, to show at its input. */
  fault: (field: keyof WorkspaceSettings) => string | undefined
}

/** A question before saving, and what saving means. */
interface Question extends Pick<ConfirmDialogProps, 'question' | 'label' | 'children'> {}

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
  /** Asks before it saves this input. Undefined: it saves at once. */
  ask?: ((input: Partial<WorkspaceSettings>) => Question | undefined) | undefined
  children: (form: SettingsForm) => ReactNode
}

export const SettingsForm = ({
  workspace,
  label,
  readInput,
  fields,
  saved,
  ask,
  children,
}: SettingsFormProps) => {
  const { mutateAsync, reset, error, isSuccess, isPending } = useOperation('updateSettings')
  const [isSaved, setSaved] = useState(false)
  const [isChanged, setChanged] = useState(false)
  const [asked, setAsked] = useState<{ input: Partial<WorkspaceSettings>; question: Question }>()
  const store = async (input: Partial<WorkspaceSettings>) => {
    await mutateAsync({ params: { workspace }, input })
    setChanged(false)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    const input = readInput()
    setSaved(input !== undefined)
    if (!input) return
    const question = ask?.(input)
    if (question) setAsked({ input, question })
    // The error is shown from the state of the mutation.
    else store(input).catch(() => {})
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
      {asked && (
        <Suspense>
          <ConfirmDialog
            {...asked.question}
            isOpen
            onClose={() => setAsked(undefined)}
            onConfirm={() => store(asked.input)}
          />
        </Suspense>
      )}
    </form>
  )
}
