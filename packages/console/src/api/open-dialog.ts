/** Whether a dialog is open. Reading the page below it again could remove the row that the dialog belongs to, and the dialog with it. */
export const isDialogOpen = (): boolean => document.querySelector('[role=dialog]') !== null
