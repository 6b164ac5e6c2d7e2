/** Routes of the console. Each page is loaded on the first visit. */
// Over 400 lines: the router takes its types from the whole tree, which stays one list.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { readOperation } from '#api/manage.ts'
import { currentLocation, finishSignIn, person, signIn } from '#api/session.ts'
import { readAuditSearch } from './pages/audit-log/search.ts'
import { readDocumentsSearch } from './pages/collection/documents/documents-search.ts'
import { readRefusalSearch } from './pages/refused/search.ts'
import { readRequestsSearch } from './pages/requests/search.ts'
import { readSignInSearch } from './pages/sign-in-log/search.ts'
import { readMemberSearch } from './pages/team-members/search.ts'
import { readSearch } from './pages/try-it/search.ts'
import { readUsageSearch } from './pages/usage/search.ts'
import { readPlaceSearch } from './pages/workspace-file/search.ts'
import { readWorkspacesSearch } from './pages/workspaces/search.ts'
import { Failure } from './ui/failure.tsx'
import { PageLoading } from './ui/loading.tsx'
import { NotFound } from './ui/not-found.tsx'
import { Shell } from './ui/shell.tsx'
import { StandaloneFailure, StandaloneNotFound } from './ui/standalone-error.tsx'

export interface Context {
  cache: QueryClient
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: StandaloneNotFound,
})

const callback = createRoute({
  getParentRoute: () => root,
  path: '/callback',
  errorComponent: StandaloneFailure,
  loader: async () => {
    const target = await finishSignIn(location.href)
    throw redirect({ href: target, replace: true })
  },
})

/** All pages except the callback require a signed-in person, and open the sign-in page otherwise. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async () => {
    if (!person()) await signIn(currentLocation())
  },
  loader: ({ context: { cache } }) =>
    Promise.all([
      cache.ensureQueryData(readOperation('listWorkspaces', {})),
      cache.ensureQueryData(readOperation('getMe', {})),
    ]),
  component: Shell,
  errorComponent: StandaloneFailure,
})

/** Opens the only workspace, or the list of workspaces. */
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: async ({ context: { cache } }) => {
    const { items } = await cache.ensureQueryData(readOperation('listWorkspaces', {}))
    const [first, ...rest] = items
    if (first && rest.length === 0)
      throw redirect({ to: '/w/$workspace', params: { workspace: first.workspace }, replace: true })
    throw redirect({ to: '/workspaces', replace: true })
  },
})

const workspaces = createRoute({
  getParentRoute: () => signedIn,
  path: '/workspaces',
  validateSearch: readWorkspacesSearch,
  component: lazyRouteComponent(() => import('./pages/workspaces/workspaces.tsx'), 'Workspaces'),
})

/** The pages of operators. */
const server = createRoute({
  getParentRoute: () => signedIn,
  path: '/server',
  component: lazyRouteComponent(() => import('./pages/server/server-area.tsx'), 'ServerArea'),
})

const serverStatus = createRoute({
  getParentRoute: () => server,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/server/status.tsx'), 'Status'),
})

const serverPeople = createRoute({
  getParentRoute: () => server,
  path: '/people',
  validateSearch: readMemberSearch,
  component: lazyRouteComponent(() => import('./pages/server/people.tsx'), 'People'),
})

const serverPerson = createRoute({
  getParentRoute: () => server,
  path: '/people/$email',
  component: lazyRouteComponent(() => import('./pages/server/person-page.tsx'), 'PersonPage'),
})

const serverWorkspaces = createRoute({
  getParentRoute: () => server,
  path: '/workspaces',
  component: lazyRouteComponent(() => import('./pages/server/server-workspaces.tsx'), 'ServerWorkspaces'),
})

const serverKeys = createRoute({
  getParentRoute: () => server,
  path: '/keys',
  component: lazyRouteComponent(() => import('./pages/server/keys.tsx'), 'Keys'),
})

const serverMail = createRoute({
  getParentRoute: () => server,
  path: '/mail',
  component: lazyRouteComponent(() => import('./pages/server/mail.tsx'), 'Mail'),
})

const serverBackup = createRoute({
  getParentRoute: () => server,
  path: '/backup',
  component: lazyRouteComponent(() => import('./pages/server/backup.tsx'), 'Backup'),
})

const workspace = createRoute({ getParentRoute: () => signedIn, path: '/w/$workspace' })

const overview = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'Overview'),
})

const teamMembers = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/team-members',
  validateSearch: readMemberSearch,
  component: lazyRouteComponent(() => import('./pages/team-members/team-members.tsx'), 'TeamMembers'),
})

const groups = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/groups',
  component: lazyRouteComponent(() => import('./pages/groups/groups.tsx'), 'Groups'),
})

const systemToSystem = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/team-members/system-to-system/$clientId',
  component: lazyRouteComponent(
    () => import('./pages/system-to-system/system-to-system.tsx'),
    'SystemToSystemAccount',
  ),
})

const applications = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/applications',
  component: lazyRouteComponent(() => import('./pages/applications/applications.tsx'), 'Applications'),
})

const refusals = createRoute({
  getParentRoute: () => workspace,
  path: '/refused',
  validateSearch: readRefusalSearch,
  component: lazyRouteComponent(() => import('./pages/refused/refusal-page.tsx'), 'RefusalPage'),
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/you',
  component: lazyRouteComponent(() => import('./pages/account/account.tsx'), 'Account'),
})

const apis = createRoute({
  getParentRoute: () => workspace,
  path: '/apis',
  component: lazyRouteComponent(() => import('./pages/apis/apis.tsx'), 'Apis'),
})

const tryIt = createRoute({
  getParentRoute: () => workspace,
  path: '/apis/$api',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./pages/try-it/try-it.tsx'), 'TryIt'),
})

const endpoints = createRoute({
  getParentRoute: () => workspace,
  path: '/apis/$api/endpoints',
  component: lazyRouteComponent(() => import('./pages/api-definition/endpoints.tsx'), 'Endpoints'),
})

const curation = createRoute({
  getParentRoute: () => workspace,
  path: '/apis/$api/curation',
  component: lazyRouteComponent(() => import('./pages/api-definition/curation.tsx'), 'Curation'),
})

const data = createRoute({
  getParentRoute: () => workspace,
  path: '/data',
  component: lazyRouteComponent(() => import('./pages/data/data.tsx'), 'Data'),
})

const collection = createRoute({
  getParentRoute: () => workspace,
  path: '/data/$collection',
  component: lazyRouteComponent(() => import('./pages/collection/collection.tsx'), 'Collection'),
})

/** Tabs of a collection; collection-pages.ts lists them too. */
const documents = createRoute({
  getParentRoute: () => collection,
  path: '/',
  validateSearch: readDocumentsSearch,
  component: lazyRouteComponent(() => import('./pages/collection/documents-tab.tsx'), 'DocumentsTab'),
})

const fields = createRoute({
  getParentRoute: () => collection,
  path: '/fields',
  component: lazyRouteComponent(() => import('./pages/collection/fields-tab.tsx'), 'FieldsTab'),
})

const synonyms = createRoute({
  getParentRoute: () => collection,
  path: '/synonyms',
  component: lazyRouteComponent(() => import('./pages/collection/synonyms-tab.tsx'), 'SynonymsTab'),
})

const importDocuments = createRoute({
  getParentRoute: () => collection,
  path: '/import',
  component: lazyRouteComponent(() => import('./pages/collection/import-tab.tsx'), 'ImportTab'),
})

const generations = createRoute({
  getParentRoute: () => collection,
  path: '/generations',
  component: lazyRouteComponent(() => import('./pages/collection/generations-tab.tsx'), 'GenerationsTab'),
})

const createCollection = createRoute({
  getParentRoute: () => workspace,
  path: '/create-collection',
  component: lazyRouteComponent(
    () => import('./pages/create-collection/create-collection.tsx'),
    'CreateCollection',
  ),
})

const general = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/general',
  component: lazyRouteComponent(() => import('./pages/general/general.tsx'), 'General'),
})

const usage = createRoute({
  getParentRoute: () => workspace,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('./pages/usage/usage.tsx'), 'Usage'),
})

const requests = createRoute({
  getParentRoute: () => workspace,
  path: '/requests',
  validateSearch: readRequestsSearch,
  component: lazyRouteComponent(() => import('./pages/requests/requests.tsx'), 'Requests'),
})

const security = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/security',
  component: lazyRouteComponent(() => import('./pages/security/security.tsx'), 'Security'),
})

const signInPages = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/sign-in',
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-settings.tsx'), 'SignInSettings'),
})

const workspaceFile = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/workspace-file',
  validateSearch: readPlaceSearch,
  component: lazyRouteComponent(() => import('./pages/workspace-file/workspace-file.tsx'), 'WorkspaceFile'),
})

const history = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/workspace-file/history',
  component: lazyRouteComponent(() => import('./pages/history/history.tsx'), 'History'),
})

const relevance = createRoute({
  getParentRoute: () => workspace,
  path: '/relevance',
  component: lazyRouteComponent(() => import('./pages/relevance/relevance.tsx'), 'Relevance'),
})

const auditLog = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/audit-log',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./pages/audit-log/audit-log.tsx'), 'AuditLog'),
})

const signInLog = createRoute({
  getParentRoute: () => workspace,
  path: '/settings/sign-in-log',
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in-log/sign-in-log.tsx'), 'WorkspaceSignInLog'),
})

const serverSignInLog = createRoute({
  getParentRoute: () => server,
  path: '/sign-in-log',
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in-log/sign-in-log.tsx'), 'ServerSignInLog'),
})

const serverAuditLog = createRoute({
  getParentRoute: () => server,
  path: '/audit-log',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./pages/server/server-audit-log.tsx'), 'ServerAuditLog'),
})

/** Unknown addresses. In the frame, with the navigation of the workspace if there is one. */
const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound })
const unknownInWorkspace = createRoute({ getParentRoute: () => workspace, path: '$', component: NotFound })

const tree = root.addChildren([
  callback,
  signedIn.addChildren([
    home,
    workspaces,
    account,
    server.addChildren([
      serverStatus,
      serverPeople,
      serverPerson,
      serverWorkspaces,
      serverKeys,
      serverMail,
      serverBackup,
      serverSignInLog,
      serverAuditLog,
    ]),
    unknown,
    workspace.addChildren([
      unknownInWorkspace,
      overview,
      apis,
      tryIt,
      endpoints,
      curation,
      data,
      collection.addChildren([documents, fields, synonyms, importDocuments, generations]),
      createCollection,
      relevance,
      usage,
      requests,
      refusals,
      teamMembers,
      groups,
      systemToSystem,
      applications,
      workspaceFile,
      history,
      general,
      security,
      signInPages,
      auditLog,
      signInLog,
    ]),
  ]),
])

export const createConsoleRouter = (cache: QueryClient) =>
  createRouter({
    routeTree: tree,
    basepath: '/console',
    context: { cache },
    defaultPreload: 'intent',
    // TanStack Query decides what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: Failure,
    defaultNotFoundComponent: NotFound,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
