/** Headers of queries that preview something (docs/relevance.md, docs/console.md). Their values are percent-encoded. */

/** E-mail address or Client ID of a member whose row filter applies too. For administrators. */
export const memberHeader = 'querent-preview-as'

/** Unsaved changes of the definition, as JSON (preview-changes.ts). For people who may edit the workspace. */
export const changesHeader = 'querent-preview-changes'
