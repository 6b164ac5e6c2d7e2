/** Keeps the text of a workspace file while the person moves to the page of the workspace that it names. */
let draft: { workspace: string; text: string } | undefined

export const saveDraft = (workspace: string, text: string): void => {
  draft = { workspace, text }
}

export const readDraft = (workspace: string): string | undefined =>
  draft?.workspace === workspace ? draft.text : undefined

export const clearDraft = (): void => {
  draft = undefined
}
