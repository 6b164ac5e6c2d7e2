import { Checkbox, Stack } from '@mantine/core'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'

interface ChooseColumnsProps extends DialogState {
  columns: readonly string[]
  onChange: (columns: string[]) => void
}

/** Chooses the fields that the table shows. The browser remembers them. */
export const ChooseColumns = ({ columns, onChange, ...dialog }: ChooseColumnsProps) => {
  const { idField, fields } = useCollection().summary
  const [chosen, setChosen] = useState<readonly string[]>(columns)
  const submit = async () => {
    // In the order of the declaration.
    onChange(fields.flatMap(({ name }) => (chosen.includes(name) ? [name] : [])))
    dialog.onClose()
  }
  return (
    <FormDialog {...dialog} title={t('Columns')} submit={t('Save')} onSubmit={submit}>
      <Stack gap="xs">
        {fields
          .filter(({ name }) => name !== idField)
          .map(({ name, title }) => (
            <Checkbox
              key={name}
              label={title ?? name}
              checked={chosen.includes(name)}
              onChange={event =>
                setChosen(
                  event.currentTarget.checked ? [...chosen, name] : chosen.filter(other => other !== name),
                )
              }
            />
          ))}
      </Stack>
    </FormDialog>
  )
}
