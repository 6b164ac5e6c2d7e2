import { t } from '#i18n/translate.ts'

/** Somebody else has changed what the edit changes. Nothing was applied. The message is for a form with the button Cancel. */
export class EditConflict extends Error {
  constructor(message = t('Nothing was applied. Choose Cancel to see the change.')) {
    super(message)
  }
}

/** Returns the fault of an edit without a form: below it, the page already shows what somebody else has changed. */
export const explainWithoutForm = (fault: unknown): unknown =>
  fault instanceof EditConflict
    ? new EditConflict(t('Nothing was applied. The page shows the change.'))
    : fault
