/** Dialogs of the account page, loaded when they open. */
import { lazy } from 'react'

export const EmailDialog = lazy(async () => ({ default: (await import('./email-dialog.tsx')).EmailDialog }))
export const DeleteAccountDialog = lazy(async () => ({
  default: (await import('./delete-account-dialog.tsx')).DeleteAccountDialog,
}))
