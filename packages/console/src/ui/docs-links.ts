/** The page of the documentation for each page of the console. The server serves the site of docs/ at /console/docs/. */
const docsPages: Readonly<Record<string, string>> = {
  '/workspaces': 'people.md#the-first-operator',
  '/you': 'your-account.md',
  '/server': 'console.md#server-for-operators',
  '/server/people': 'people.md#make-users-and-members-directly',
  '/server/audit-log': 'people.md#audit-log',
  '/server/keys': 'people.md#signing-keys',
  '/server/mail': 'people.md#mail-server',
  '/server/backup': 'operate.md#back-up',
  '/w/$workspace': 'console.md#first-query',
  '/w/$workspace/usage': 'usage.md',
  '/w/$workspace/requests': 'usage.md#the-latest-requests',
  '/w/$workspace/apis': 'query.md',
  '/w/$workspace/apis/$api': 'console.md#try-it',
  '/w/$workspace/apis/$api/endpoints': 'describe-your-search.md#endpoints',
  '/w/$workspace/apis/$api/curation': 'describe-your-search.md#curation',
  '/w/$workspace/data': 'describe-your-search.md#collections',
  '/w/$workspace/data/$collection': 'console.md#data',
  '/w/$workspace/data/$collection/fields': 'describe-your-search.md#fields',
  '/w/$workspace/data/$collection/synonyms': 'describe-your-search.md#synonyms',
  '/w/$workspace/data/$collection/import': 'import-data.md',
  '/w/$workspace/data/$collection/generations': 'import-data.md#generations',
  '/w/$workspace/create-collection': 'import-data.md#start-from-a-file',
  '/w/$workspace/relevance': 'relevance.md#in-the-console',
  '/w/$workspace/refused': 'console.md#refusals',
  '/w/$workspace/settings/team-members': 'people.md#invite-somebody',
  '/w/$workspace/settings/team-members/system-to-system':
    'get-a-token.md#change-the-secret-without-an-outage',
  '/w/$workspace/settings/groups': 'groups.md',
  '/w/$workspace/settings/applications': 'sign-people-in.md#register-the-application',
  '/w/$workspace/settings/workspace-file': 'describe-your-search.md',
  '/w/$workspace/settings/workspace-file/history': 'console.md#history-and-undo',
  '/w/$workspace/settings/security': 'describe-your-search.md#who-may-ask',
  '/w/$workspace/settings/sign-in': 'sign-people-in.md#your-name-on-the-pages',
  '/w/$workspace/settings/audit-log': 'people.md#audit-log',
  '/w/$workspace/settings/sign-in-log': 'sign-in-log.md',
  '/server/sign-in-log': 'sign-in-log.md',
}

/** All places in the documentation that pages link to, for a test. */
export const docsTargets: readonly string[] = Object.values(docsPages)

/** Address of the documentation of a page, by the path of its route: that of the nearest page above it, or the start page. */
export const docsAddress = (path: string): string => {
  const pages = Object.keys(docsPages).filter(page => `${path}/`.startsWith(`${page}/`))
  const nearest = pages.toSorted((a, b) => b.length - a.length)[0]
  const target = nearest === undefined ? undefined : docsPages[nearest]
  return `/console/docs/${(target ?? 'README.md').replace('README.md', 'index.md').replace('.md', '.html')}`
}
