import { Checkbox } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import type { Selection } from './use-selection.ts'

interface SelectDocumentProps {
  id: string
  selection: Selection
}

/** With Shift, selects all documents from the last selected one on. */
export const SelectDocument = ({ id, selection }: SelectDocumentProps) => (
  <Checkbox
    aria-label={t('Select {id}', { id })}
    checked={selection.isSelected(id)}
    onChange={({ currentTarget, nativeEvent }) =>
      selection.select(id, currentTarget.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
    }
  />
)
