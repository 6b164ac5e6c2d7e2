import { Button, Checkbox, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import type { DisplaySettings } from './display-settings.ts'

interface FieldsDialogProps extends DialogState {
  /** The fields that results have, with their titles. */
  fields: readonly { name: string; title: string }[]
  /** The fields that the results show now. */
  shown: readonly string[]
  settings: DisplaySettings
  onChange: (settings: DisplaySettings) => void
}

/** Chooses what the results of the API show. */
export const FieldsDialog = ({ fields, shown, settings, onChange, ...dialog }: FieldsDialogProps) => {
  const [chosen, setChosen] = useState<readonly string[]>(shown)
  const [hasPictures, setPictures] = useState(settings.hasPictures === true)
  const save = (next: DisplaySettings) => {
    onChange(next)
    dialog.onClose()
  }
  const submit = async () => {
    const names = fields.flatMap(({ name }) => (chosen.includes(name) ? [name] : []))
    save({ fields: names, hasPictures })
  }
  return (
    <FormDialog {...dialog} title={t('Fields of the results')} submit={t('Save')} onSubmit={submit}>
      <Text size="sm">{t('This browser remembers them for this API.')}</Text>
      <Stack gap="xs" role="group" aria-label={t('Fields')}>
        {fields.map(({ name, title }) => (
          <Checkbox
            key={name}
            label={title}
            checked={chosen.includes(name)}
            onChange={event =>
              setChosen(
                event.currentTarget.checked ? [...chosen, name] : chosen.filter(other => other !== name),
              )
            }
          />
        ))}
      </Stack>
      <Switch
        label={t('Show pictures of other servers')}
        description={t('Those servers learn your IP address when you look at results.')}
        checked={hasPictures}
        onChange={event => setPictures(event.currentTarget.checked)}
      />
      {settings.fields && (
        <Button
          variant="subtle"
          size="compact-sm"
          style={{ alignSelf: 'start' }}
          onClick={() => save({ hasPictures })}
        >
          {t('Choose the fields automatically')}
        </Button>
      )}
    </FormDialog>
  )
}
