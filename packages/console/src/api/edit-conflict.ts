import { t } from '#i18n/translate.ts'
import { isDialogOpen } from './open-dialog.ts'

/** Somebody else has changed what the edit changes. Nothing was applied. A dialog names its button for it (`labelCancel`). */
export class EditConflict extends Error {
  /** Whether the edit is no edit of the workspace file. */
  readonly isOfDocument: boolean
  constructor(isOfDocument = false) {
    super(
      isDialogOpen()
        ? t('Nothing was saved. “Show the change” closes this form, and what you changed in it is lost.')
        : t('Nothing was saved. The page shows the change.'),
    )
    this.isOfDocument = isOfDocument
  }
}

/** Returns the label of the button that closes a form without saving. After a conflict it leads to what somebody else has changed. */
export const labelCancel = (error: unknown): string =>
  error instanceof EditConflict ? t('Show the change') : t('Cancel')
