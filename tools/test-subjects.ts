/**
 * The tests of a started server for each part of the sources: `npm test -- --changed` runs them, because their imports don't tell them apart.
 * The longest beginning of a path counts. Name few and quick ones that fail if the part breaks: the full run has all.
 */
const server = 'packages/server/src'
const consolePages = 'packages/console/src/pages'
const dutchCatalog = 'packages/console/src/i18n/nl.test.ts'
const library = ['tests/query/query.test.ts', 'tests/manage/apply.test.ts']

const subjectTests: Readonly<Record<string, readonly string[]>> = {
  [`${server}/`]: library,
  [`${server}/accounts/`]: ['tests/sign-in/openid-client.test.ts', 'tests/security/account-takeover.test.ts'],
  [`${server}/authz/`]: [
    'tests/security/authorization.test.ts',
    'tests/security/isolation.test.ts',
    'tests/security/row-filter.test.ts',
    'tests/security/rights-oracle.test.ts',
    'tests/security/rights-attacks.test.ts',
  ],
  [`${server}/backup/`]: ['tests/operate/backup.test.ts', 'tests/operate/partial-backup.test.ts'],
  [`${server}/collections/`]: [
    'tests/documents/generations.test.ts',
    'tests/operate/open-collections.test.ts',
  ],
  [`${server}/config/`]: ['tests/operate/data-folder.test.ts', 'tests/operate/first-start.test.ts'],
  [`${server}/documentation/`]: ['tests/docs/site.test.ts'],
  [`${server}/documents/`]: [
    'tests/documents/import-csv.test.ts',
    'tests/documents/import-files.test.ts',
    'tests/documents/field-values.test.ts',
  ],
  [`${server}/embedding/`]: ['tests/operate/vector-durability.test.ts'],
  [`${server}/engines/`]: ['tests/query/query.test.ts', 'tests/query/properties.test.ts'],
  [`${server}/engines/embedded/`]: [
    'tests/operate/durability.test.ts',
    'tests/query/query.test.ts',
    'tests/query/properties.test.ts',
  ],
  [`${server}/http/`]: ['tests/query/http.test.ts', 'tests/security/cors.test.ts'],
  [`${server}/keys/`]: ['tests/operate/keys.test.ts', 'tests/operate/re-encrypt.test.ts'],
  [`${server}/languages/`]: ['tests/sign-in/sign-in.test.ts'],
  [`${server}/manage/`]: ['tests/manage/apply.test.ts', 'tests/manage/manage-openapi.test.ts'],
  [`${server}/memory/`]: ['tests/query/query.test.ts'],
  [`${server}/oauth/`]: ['tests/sign-in/openid-client.test.ts', 'tests/sign-in/dpop.test.ts'],
  [`${server}/oauth/interactions/`]: ['tests/sign-in/openid-client.test.ts', 'tests/sign-in/sign-in.test.ts'],
  [`${server}/oauth/pages/`]: ['tests/sign-in/sign-in.test.ts'],
  [`${server}/query/`]: ['tests/query/query.test.ts', 'tests/query/errors.test.ts'],
  [`${server}/query/formats/`]: ['tests/query/formats.test.ts', 'tests/query/readers.test.ts'],
  [`${server}/query/mcp/`]: ['tests/query/mcp.test.ts', 'tests/query/mcp-lists.test.ts'],
  [`${server}/query/openapi/`]: ['tests/query/openapi.test.ts'],
  [`${server}/query/plan/`]: ['tests/query/query.test.ts', 'tests/query/filter-algebra.test.ts'],
  [`${server}/startup/`]: ['tests/operate/data-folder.test.ts', 'tests/operate/first-start.test.ts'],
  [`${server}/storage/`]: [...library, 'tests/sign-in/openid-client.test.ts'],
  [`${server}/telemetry/`]: ['tests/operate/metrics.test.ts', 'tests/operate/request-log.test.ts'],
  [`${server}/usage/`]: ['tests/query/usage.test.ts'],
  [`${server}/workers/`]: ['tests/operate/workers.test.ts'],
  'packages/cli/src/': ['packages/cli/src/commands/commands.test.ts'],
  'packages/contract/src/': library,
  'packages/contract/src/manage/': ['tests/manage/manage-openapi.test.ts'],
  'packages/engine/src/': [
    'packages/server/src/engines/embedded/embedded.test.ts',
    'tests/query/query.test.ts',
    'tests/query/properties.test.ts',
  ],

  // This test reads the texts of all sources of the console.
  'packages/console/src/': [dutchCatalog, 'tests/console/dom/frame.test.ts'],
  'packages/console/src/i18n/': [dutchCatalog],
  [`${consolePages}/account/`]: [dutchCatalog, 'tests/console/dom/settings.test.ts'],
  [`${consolePages}/api-definition/`]: [dutchCatalog, 'tests/console/dom/definition-forms.test.ts'],
  [`${consolePages}/applications/`]: [dutchCatalog, 'tests/console/dom/settings.test.ts'],
  [`${consolePages}/collection/`]: [dutchCatalog, 'tests/console/dom/data.test.ts'],
  [`${consolePages}/data/`]: [dutchCatalog, 'tests/console/dom/documents.test.ts'],
  [`${consolePages}/general/`]: [dutchCatalog, 'tests/console/dom/settings.test.ts'],
  [`${consolePages}/relevance/`]: [dutchCatalog, 'tests/console/dom/try-it-relevance.test.ts'],
  [`${consolePages}/security/`]: [dutchCatalog, 'tests/console/dom/settings.test.ts'],
  [`${consolePages}/server/`]: [dutchCatalog, 'tests/console/dom/server.test.ts'],
  [`${consolePages}/sign-in/`]: [dutchCatalog, 'tests/console/dom/sign-in-settings.test.ts'],
  [`${consolePages}/team-members/`]: [dutchCatalog, 'tests/console/dom/members.test.ts'],
  [`${consolePages}/try-it/`]: [
    dutchCatalog,
    'tests/console/dom/try-it.test.ts',
    'tests/console/dom/try-it-form.test.ts',
  ],
  [`${consolePages}/workspace-file/`]: [dutchCatalog, 'tests/console/workspace-file.test.ts'],
}

export const subjects: readonly string[] = Object.keys(subjectTests)
export const subjectTestFiles: readonly string[] = [...new Set(Object.values(subjectTests).flat())]

/** Returns the tests of a started server for a source. Empty for packages that have none. */
export const findSubjectTests = (source: string): readonly string[] => {
  const [longest] = subjects
    .filter(subject => source.startsWith(subject))
    .toSorted((a, b) => b.length - a.length)
  return longest === undefined ? [] : (subjectTests[longest] ?? [])
}
