/** A file that is taken along from the page of one workspace to that of another, which it names. */
let draft: { workspace: string; text: string } | undefined

export const saveDraft = (workspace: string, text: string): void => {
  draft = { workspace, text }
}

export const readDraft = (workspace: string): string | undefined =>
  draft?.workspace === workspace ? draft.text : undefined

export const clearDraft = (): void => {
  draft = undefined
}
