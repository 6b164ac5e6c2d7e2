/** Headers of queries that preview something (docs/relevance.md, docs/console.md). Their values are percent-encoded. */

/** E-mail address or Client ID of a member whose rights apply too, or `group:` and the name of a group. For administrators. */
export const memberHeader = 'querent-preview-as'

/** Comes before the name of a group. Addresses and Client IDs have no colon. */
export const groupPrefix = 'group:'

/** Unsaved changes of the definition, as JSON (preview-changes.ts). For people who may edit the workspace. */
export const changesHeader = 'querent-preview-changes'

/** `none`: the query looks something up for a page of the console, and counts as no search of a person. Only for clients of the server itself. */
export const usageHeader = 'querent-usage'
