/** The collection and the search of the documentation, as a workspace file would say it (docs/describe-your-search.md). */
import type { Definition } from '@querent/contract/workspace-file'

/** Name of the collection, of the API and of the workspace. This index is apart from the workspaces of people, who may use the name too. */
export const docsName = 'documentation'
export const searchEndpoint = 'search'
export const queryParameter = 'query'

export const docsDefinition: Definition = {
  workspace: docsName,
  collections: {
    [docsName]: {
      id: { field: 'id' },
      language: 'english',
      fields: {
        title: { type: 'text', weight: 6 },
        page: { type: 'text', weight: 3 },
        text: { type: 'text' },
        code: { type: 'text', weight: 0.3, codes: true },
      },
      synonyms: [
        ['add', 'create'],
        ['delete', 'remove'],
        ['edit', 'change'],
        ['log in', 'login', 'sign in'],
        ['mfa', '2fa', 'two factor', 'second factor'],
        ['sso', 'single sign-on', 'company sign-in'],
        ['permissions', 'rights', 'roles'],
        ['row level security', 'row filter'],
        ['autocomplete', 'completion', 'search as you type'],
        ['typo', 'misspelling'],
        ['pagination', 'paging'],
      ],
    },
  },
  apis: {
    [docsName]: {
      endpoints: {
        [searchEndpoint]: {
          kind: 'match',
          collection: docsName,
          parameter: queryParameter,
          prefix: true,
          typos: true,
          matching: 'relaxed',
        },
      },
    },
  },
}
