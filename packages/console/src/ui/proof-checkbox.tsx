import { Checkbox } from '@mantine/core'
import { t } from '#i18n/translate.ts'

interface ProofCheckboxProps {
  isChecked: boolean
  onChange: (isChecked: boolean) => void
}

/** Whether an application or account only gets tokens that are bound to a key. */
export const ProofCheckbox = ({ isChecked, onChange }: ProofCheckboxProps) => (
  <Checkbox
    label={t('Require DPoP')}
    description={t(
      'Its tokens are bound to a key, so a stolen token is useless. Token requests without a DPoP proof are rejected.',
    )}
    checked={isChecked}
    onChange={event => onChange(event.currentTarget.checked)}
  />
)
