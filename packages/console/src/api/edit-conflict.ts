import { t } from '#i18n/translate.ts'

/** Somebody else has changed what the edit changes. Nothing was applied. */
export class EditConflict extends Error {
  constructor() {
    super(
      t('Somebody else has changed this meanwhile. Nothing was applied. Close the form to see the change.'),
    )
  }
}
