import { Button, SegmentedControl } from '@mantine/core'
import type { Entity } from '@querent/contract/query'
import { lazy } from 'react'
import { t } from '#i18n/translate.ts'
import { chooseFields, listFields, rateFields } from '#ui/choose-fields.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { findPicture, isRemote } from '#ui/pictures.ts'
import type { DisplaySettings } from './display-settings.ts'

const FieldsDialog = lazy(async () => ({ default: (await import('./fields-dialog.tsx')).FieldsDialog }))

interface ResultsBarProps {
  entities: readonly Entity[]
  fieldTitles: Readonly<Record<string, string>>
  settings: DisplaySettings
  onChange: (settings: DisplaySettings) => void
  view: 'compact' | undefined
  onView: (view: 'compact' | undefined) => void
}

/** Chooses how the results look. */
export const ResultsBar = ({ entities, fieldTitles, settings, onChange, view, onView }: ResultsBarProps) => {
  const names = [...new Set([...listFields(entities), ...(settings.fields ?? [])])]
  const fields = names.map(name => ({ name, title: fieldTitles[name] ?? name }))
  const hasRemotePictures = entities.map(findPicture).some(picture => picture && isRemote(picture))
  const areShown = settings.hasPictures === true
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={t('View')}
        data={[
          { value: 'cards', label: t('Cards') },
          { value: 'compact', label: t('Compact') },
        ]}
        value={view ?? 'cards'}
        onChange={value => onView(value === 'compact' ? 'compact' : undefined)}
      />
      <DialogButton size="compact-sm" variant="default" label={t('Fields')}>
        {dialog => (
          <FieldsDialog
            {...dialog}
            fields={fields}
            shown={settings.fields ?? chooseFields(names, rateFields(entities), [])}
            settings={settings}
            onChange={onChange}
          />
        )}
      </DialogButton>
      {hasRemotePictures && (
        <Button
          size="compact-sm"
          variant="default"
          title={t('Those servers learn your IP address when you look at results.')}
          onClick={() => onChange({ ...settings, hasPictures: !areShown })}
        >
          {areShown ? t('Hide pictures') : t('Show pictures')}
        </Button>
      )}
    </>
  )
}
