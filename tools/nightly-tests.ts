/**
 * The nightly set: test files that `npm test` leaves out, because they take long and few changes can break them. Each has its subject:
 * the paths, or beginnings of paths, whose change makes `--changed` and .ci/run run it. Its imports do not count, because every test of
 * a started server imports most of the server.
 */
const server = 'packages/server/src'
const openApi = [
  `${server}/query/openapi`,
  `${server}/documents/openapi`,
  `${server}/http/openapi`,
  `${server}/manage/openapi`,
  'packages/contract/src/manage/',
  'tests/support/client-generators.ts',
  'tests/support/generated-clients/',
]
const libraries = ['docs/libraries.md', 'tests/support/library-examples.ts']

const pages = 'packages/console/src/pages'
/** Every page of the console uses these. */
const frame = ['packages/console/src/api/', 'packages/console/src/ui/', 'tests/support/console-visit.ts']

const nightlySubjects: Readonly<Record<string, readonly string[]>> = {
  // Programs of other languages and package managers.
  'tests/documents/postgresql-example.test.ts': ['examples/postgresql-sync/'],
  'tests/documents/public-files/public-files.test.ts': [
    `${server}/documents/proposals/`,
    `${server}/documents/json-rows.ts`,
    'packages/contract/src/proposal.ts',
    'tests/documents/public-files/',
  ],
  'tests/docs/tutorial.test.ts': [
    'docs/tutorial.md',
    'packages/cli/src/demo/',
    'packages/cli/src/commands/demo.ts',
  ],
  'tests/engines/rights-opensearch.test.ts': [
    `${server}/authz/`,
    `${server}/engines/opensearch/`,
    'tests/support/rights-oracle.ts',
  ],
  'tests/engines/stems.test.ts': ['packages/engine/src/', 'tests/support/stems.py'],
  'tests/manage/continuous-integration-example.test.ts': [
    'examples/continuous-integration/',
    'packages/cli/src/commands/',
  ],
  'tests/manage/generated-clients.test.ts': openApi,
  'tests/manage/spectral.test.ts': [...openApi, 'tests/support/spectral.ts'],
  'tests/query/generated-clients.test.ts': [...openApi, 'docs/generate-a-client.md'],
  'tests/query/mcp-clients.test.ts': [
    `${server}/query/mcp/`,
    'tests/support/mcp-client.py',
    'tests/support/prepare-inspector.sh',
  ],
  'tests/query/public-search-example.test.ts': ['examples/public-search/'],
  'tests/query/python-example.test.ts': ['examples/python/'],
  'tests/query/typed-titles.test.ts': ['packages/engine/src/', 'tests/query/typed-titles.test.ts'],
  'tests/sign-in/auth0-spa-js.test.ts': [`${server}/oauth/requests/`, `${server}/oauth/provider/`],
  'tests/sign-in/authlib.test.ts': [`${server}/oauth/requests/`, 'tests/support/authlib-client.py'],
  'tests/sign-in/keycloak.test.ts': [`${server}/oauth/identity-provider/`, 'docs/company-sign-in.md'],
  'tests/sign-in/libraries-go.test.ts': libraries,
  'tests/sign-in/libraries-java.test.ts': libraries,
  'tests/sign-in/libraries-javascript.test.ts': libraries,
  'tests/sign-in/libraries-python.test.ts': [...libraries, 'tests/support/fastapi-users-app.py'],
  'tests/sign-in/next-example.test.ts': ['examples/next-js/'],
  'tests/sign-in/react-search-example.test.ts': ['examples/react-search/'],

  // Proxies of other programs.
  'tests/deploy/drain.test.ts': ['docs/deploy.md', 'deploy/', 'tests/support/proxies.ts'],
  'tests/deploy/proxies.test.ts': [
    'docs/deploy.md',
    'deploy/',
    'tests/support/proxies.ts',
    `${server}/http/`,
  ],

  // Pages in a browser that few changes touch.
  'tests/query/demo-page.test.ts': [
    'packages/console/demo/',
    'packages/cli/cities/',
    'packages/cli/dictionary/',
    'packages/cli/src/demo/',
  ],
  'tests/sign-in/provider-pages.test.ts': [`${server}/oauth/pages/`, `${server}/oauth/identity-provider/`],
  // Ordinary tests of the same rules: oauth/pages/pages.test, oauth/interactions/ and the other files of tests/sign-in.
  'tests/sign-in/pages.test.ts': [
    `${server}/oauth/pages/`,
    `${server}/oauth/interactions/`,
    `${server}/languages/`,
  ],
  'tests/sign-in/second-factors.test.ts': [
    `${server}/oauth/pages/`,
    `${server}/oauth/interactions/`,
    `${server}/accounts/`,
    `${server}/languages/`,
  ],
  // Ordinary tests check most views of these pages with axe too: tests/console/dom, by inspectViews.
  'tests/console/pages.test.ts': [
    'packages/console/src/',
    'tests/support/console-pages.ts',
    'tests/support/pages-inspect.ts',
  ],
  'tests/console/dom/dutch.test.ts': ['packages/console/src/', 'tests/support/console-pages.ts'],
  // The forms, dialogs and tables of these pages have their ordinary tests in tests/console/dom. These need a browser: they leave and close
  // pages, cancel imports, download files, measure, or use several tabs.
  'tests/console/account.test.ts': [...frame, `${pages}/account/`, `${server}/accounts/`],
  'tests/console/data.test.ts': [
    ...frame,
    `${pages}/collection/`,
    `${pages}/create-collection/`,
    'packages/client/src/documents',
  ],
  'tests/console/frame.test.ts': [...frame, 'packages/console/build.js', 'packages/console/src/routes.tsx'],
  'tests/console/layout.test.ts': ['packages/console/src/'],
  'tests/console/relevance.test.ts': [
    ...frame,
    `${pages}/relevance/`,
    `${pages}/try-it/`,
    'packages/client/src/relevance/',
  ],
  'tests/console/usage.test.ts': [
    ...frame,
    `${pages}/overview/`,
    `${pages}/usage/`,
    'packages/contract/src/manage/usage.ts',
  ],
  // Each has a shorter twin in tests/console/dom, or in tests/console/workspace-file.test.ts.
  'tests/console/definition-forms.test.ts': [...frame, `${pages}/collection/`, `${pages}/api-definition/`],
  'tests/console/details.test.ts': [
    ...frame,
    `${pages}/audit-log/`,
    `${pages}/overview/`,
    `${pages}/system-to-system/`,
    `${pages}/workspace-file/`,
  ],
  'tests/console/settings.test.ts': [...frame, `${pages}/applications/`, `${pages}/workspace-file/`],
  'tests/console/sign-in-settings.test.ts': [...frame, `${pages}/sign-in/`],
  'tests/console/try-it-relevance.test.ts': [...frame, `${pages}/try-it/`, `${pages}/relevance/`],
  'tests/console/workspace-file-editor.test.ts': [...frame, `${pages}/workspace-file/`],

  // Long runs of one part. Shorter tests of it: embedded.test, vector-durability, first-query, stop and drain.
  'packages/cli/src/commands/demo.test.ts': [
    'packages/cli/src/demo/',
    'packages/cli/src/commands/demo.ts',
    'packages/cli/dictionary/',
    'packages/contract/src/',
    'packages/engine/src/',
    `${server}/documents/`,
  ],
  'tests/engines/wordnet.test.ts': [`${server}/engines/embedded/`, 'packages/engine/src/'],
  'tests/operate/restart.test.ts': [`${server}/http/`, `${server}/storage/`, `${server}/main.ts`],
  'tests/query/search-by-meaning.test.ts': [`${server}/embedding/`, `${server}/engines/`],

  // Pages of the documentation whose commands take long.
  'tests/operate/document.test.ts': ['docs/operate.md', 'packages/cli/src/commands/', `${server}/backup/`],
  'tests/query/describe-document.test.ts': ['docs/describe-your-search.md', 'packages/contract/src/'],
  'tests/sign-in/documents.test.ts': [
    'docs/get-a-token.md',
    'docs/sign-people-in.md',
    'docs/quickstarts.md',
    'packages/client/src/',
    `${server}/oauth/requests/`,
    `${server}/oauth/tokens/`,
  ],

  // Long runs on OpenSearch. The tests of several nodes use it too, and are ordinary.
  'tests/engines/opensearch-hung-node.test.ts': [`${server}/engines/opensearch/`],
  'tests/engines/opensearch-vectors.test.ts': [`${server}/engines/`],
  'tests/engines/opensearch.test.ts': [`${server}/engines/`, 'tests/support/engines-differential.ts'],

  // Several nodes. Shorter tests of the same promises: oauth/nodes, oauth/concurrency, keys/key-rotation and cluster/locks.
  'tests/cluster/authorization.test.ts': [
    `${server}/authz/`,
    `${server}/keys/`,
    `${server}/oauth/`,
    `${server}/storage/`,
  ],

  // Faults. Shorter tests of the same promises: cluster/start, cluster/documents, operate/durability and operate/disk-full.
  'tests/cluster/cut-off.test.ts': [`${server}/storage/`, 'tests/support/tcp-proxy.ts'],
  'tests/cluster/doctor.test.ts': [
    `${server}/manage/diagnosis.ts`,
    `${server}/manage/node-report.ts`,
    'packages/cli/src/commands/doctor.ts',
    'packages/cli/src/connection/',
  ],
  'tests/operate/disk-reserve.test.ts': [
    `${server}/storage/`,
    `${server}/backup/`,
    `${server}/manage/disk-checks.ts`,
    `${server}/oauth/provider/`,
  ],
  'tests/operate/faults.test.ts': ['tests/faults/', `${server}/storage/`, `${server}/engines/opensearch/`],
}

/** Ordinary files that run longer in the nightly set, by `chooseRuns` of #server/test-runs, and the subject of each. */
const longerSubjects: Readonly<Record<string, readonly string[]>> = {
  'packages/server/src/manage/apply.test.ts': [
    `${server}/manage/apply`,
    'packages/contract/src/workspace-file',
  ],
  'packages/server/src/oauth/tokens/client-credentials-fast-path.test.ts': [
    `${server}/oauth/tokens/`,
    `${server}/oauth/clients/`,
  ],
  'packages/server/src/manage/search.test.ts': [
    `${server}/manage/members.ts`,
    `${server}/manage/users.ts`,
    `${server}/storage/`,
  ],
  'packages/server/src/query/cache/not-modified.test.ts': [`${server}/query/cache/`, `${server}/authz/`],
  'packages/server/src/query/plan/row-filter-nodes.test.ts': [`${server}/query/plan/row-filter`],
  'packages/server/src/query/reply-size.test.ts': [
    `${server}/http/reply-size.ts`,
    `${server}/query/formats/`,
    `${server}/query/formatted-reply.ts`,
  ],
  'packages/server/src/engines/embedded/embedded.test.ts': [
    `${server}/engines/embedded/`,
    'packages/engine/src/',
  ],
  'tests/cluster/start.test.ts': [`${server}/engines/opensearch/`, `${server}/collections/`],
  'tests/manage/manage-openapi.test.ts': [...openApi, 'tests/support/schemathesis'],
  'tests/operate/vector-durability.test.ts': [`${server}/embedding/`, 'packages/engine/src/'],
  'tests/query/filter-algebra.test.ts': [
    `${server}/query/plan/`,
    `${server}/engines/`,
    'packages/engine/src/search/',
  ],
  'tests/query/openapi.test.ts': [
    `${server}/query/openapi/`,
    `${server}/http/openapi`,
    'tests/support/schemathesis',
  ],
  'tests/query/word-cases/further-word-cases.test.ts': ['packages/engine/src/', 'tests/query/word-cases/'],
  'tests/query/word-cases/word-cases.test.ts': ['packages/engine/src/', 'tests/query/word-cases/'],
  'tests/query/properties.test.ts': [
    `${server}/query/plan/`,
    `${server}/engines/`,
    'packages/engine/src/search/',
  ],
  'tests/security/rights-oracle.test.ts': [`${server}/authz/`, `${server}/query/`],
  'tests/security/fuzz.test.ts': [`${server}/http/`],
}

export const nightlyFiles: readonly string[] = Object.keys(nightlySubjects)

/** Returns whether `npm test` leaves this file out. `file` is a path below the checkout. */
export const isNightly = (file: string): boolean => file in nightlySubjects

/** Files that always run, and longer in the nightly set. */
export const longerFiles: readonly string[] = Object.keys(longerSubjects)

export const readSubject = (file: string): readonly string[] =>
  nightlySubjects[file] ?? longerSubjects[file] ?? []

/** Returns whether the file itself or its subject is among the changed paths. */
export const isSubjectChanged = (file: string, changes: readonly string[]): boolean =>
  [file, ...readSubject(file)].some(subject => changes.some(path => path.startsWith(subject)))

/** Returns whether a filter matches in the name of the file. One that matches only its folder does not name it. */
export const isNamedBy = (file: string, filter: string): boolean =>
  file.lastIndexOf(filter) + filter.length > file.lastIndexOf('/') + 1 && file.includes(filter)
