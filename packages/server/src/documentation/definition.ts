/** The collection and the search of the documentation, as a workspace file would say it (docs/describe-your-search.md). */
import type { Definition } from '@querent/contract/workspace-file'

/** Name of the collection, of the API and of the workspace. This index is apart from the workspaces of people, who may use the name too. */
export const docsName = 'documentation'
export const searchEndpoint = 'search'
export const queryParameter = 'query'

/** Words of a question that say nothing of its subject. */
const questionWords = [
  'a an the of to in on for from with and or by at is are be',
  'how what why when where which who do does can could should was will',
  'i it my me we our you your this that some any there want need',
].flatMap(line => line.split(' '))

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
        importance: { type: 'number' },
      },
      stopWords: questionWords,
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
        ['pagination', 'paging', 'next page', 'offset'],
        ['rate limit', 'rate limiting', 'throttling', 'limits of a member', 'quota'],
        ['sign-up', 'signup', 'register'],
        ['invite', 'invitation'],
        ['colleague', 'member', 'team member'],
        ['refused', '403', '401', 'forbidden', 'unauthorized'],
        ['embedding', 'embeddings', 'vector', 'vectors', 'semantic search', 'search by meaning'],
        ['smtp', 'mail server'],
        ['backup', 'back up'],
        ['gdpr', 'personal data'],
        ['multi tenant', 'multi-tenant', 'tenant', 'workspace'],
        ['rotate', 'renew', 'change'],
        ['cors', 'allowed origins'],
        ['highlight', 'highlights', 'highlighting'],
        ['saml', 'openid provider'],
        ['postgres', 'postgresql'],
        ['k8s', 'kubernetes'],
        ['maximum', 'max', 'at most', 'limit'],
        ['start', 'begin', 'get started', 'getting started'],
        ['slow', 'fast', 'speed', 'performance', 'latency'],
        ['upgrade', 'update', 'new version'],
        ['hide', 'hidden'],
        ['log', 'logs', 'logging'],
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
          boosts: ['important'],
        },
        important: { kind: 'boost', field: 'importance', by: 'linear' },
      },
    },
  },
}
