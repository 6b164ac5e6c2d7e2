/** Every page of the console, as an administrator of the library and operator of the server sees it. */
import { adminEmail } from './console-visit.ts'

export interface ConsolePage {
  /** Address below `/console`. `{clientId}` is the System-to-System account of `makeLibrary`. */
  path: string
  /** The heading in English. */
  title: string
  /** Selector of an element that is there once the page is usable. */
  usable: string
}

export const consolePages: Readonly<Record<string, ConsolePage>> = {
  workspaces: { path: '/workspaces', title: 'Workspaces', usable: 'main a[href*="/w/library"]' },
  overview: { path: '/w/library', title: 'The library', usable: 'main dl' },
  apis: { path: '/w/library/apis', title: 'APIs', usable: 'main a[href*="/apis/library"]' },
  'try-it-empty': {
    path: '/w/library/apis/library',
    title: 'Library',
    usable: 'main form button[type=submit]',
  },
  'try-it': {
    path: '/w/library/apis/library?stack=e%2Fsearch%2Fp%2Fquery%2Fsilent%2520river',
    title: 'Library',
    usable: 'main mark',
  },
  endpoints: { path: '/w/library/apis/library/endpoints', title: 'Library', usable: 'main table button' },
  curation: {
    path: '/w/library/apis/library/curation',
    title: 'Library',
    usable: 'main [role=tabpanel] button',
  },
  data: { path: '/w/library/data', title: 'Data', usable: 'main table a' },
  'create-collection': {
    path: '/w/library/create-collection',
    title: 'Create a collection',
    usable: 'input[type=file]',
  },
  collection: { path: '/w/library/data/books', title: 'Books', usable: 'main [role=tabpanel] button' },
  fields: { path: '/w/library/data/books/fields', title: 'Books', usable: 'main table button' },
  synonyms: {
    path: '/w/library/data/books/synonyms',
    title: 'Books',
    usable: 'main [role=tabpanel] button',
  },
  import: { path: '/w/library/data/books/import', title: 'Books', usable: 'input[type=file]' },
  generations: { path: '/w/library/data/books/generations', title: 'Books', usable: 'main table' },
  usage: { path: '/w/library/usage', title: 'Usage', usable: 'main dl' },
  requests: { path: '/w/library/requests', title: 'Requests', usable: 'main table, main input[type=search]' },
  relevance: { path: '/w/library/relevance', title: 'Relevance tests', usable: 'main button' },
  refused: {
    path: '/w/library/refused',
    title: 'Why was I refused?',
    usable: 'main form button[type=submit]',
  },
  history: {
    path: '/w/library/settings/workspace-file/history',
    title: 'History',
    usable: 'main table button',
  },
  groups: { path: '/w/library/settings/groups', title: 'Groups', usable: 'main .page-action button' },
  'team-members': {
    path: '/w/library/settings/team-members',
    title: 'Team Members',
    usable: 'main table button',
  },
  'system-to-system': {
    path: '/w/library/settings/team-members/system-to-system/{clientId}',
    title: 'tests',
    usable: 'main table button',
  },
  applications: {
    path: '/w/library/settings/applications',
    title: 'Applications',
    usable: 'main button',
  },
  'workspace-file': {
    path: '/w/library/settings/workspace-file',
    title: 'Workspace file',
    usable: 'main .cm-editor, main textarea',
  },
  general: {
    path: '/w/library/settings/general',
    title: 'General',
    usable: 'main form button[type=submit]',
  },
  security: {
    path: '/w/library/settings/security',
    title: 'Security',
    usable: 'main form button[type=submit]',
  },
  'sign-in-settings': {
    path: '/w/library/settings/sign-in',
    title: 'Sign-in',
    usable: 'main form button[type=submit]',
  },
  'audit-log': { path: '/w/library/settings/audit-log', title: 'Audit log', usable: 'main table' },
  'sign-in-log': { path: '/w/library/settings/sign-in-log', title: 'Sign-in log', usable: 'main table' },
  'server-sign-in-log': { path: '/server/sign-in-log', title: 'Sign-in log', usable: 'main table' },
  'server-audit-log': { path: '/server/audit-log', title: 'Audit log', usable: 'main table' },
  you: { path: '/you', title: 'Account', usable: 'main form button[type=submit]' },
  'server-status': { path: '/server', title: 'Status', usable: 'main [role=status]' },
  'server-people': { path: '/server/people', title: 'People', usable: 'main table a' },
  'server-person': { path: `/server/people/${adminEmail}`, title: adminEmail, usable: 'main table a' },
  'server-workspaces': { path: '/server/workspaces', title: 'Workspaces', usable: 'main table button' },
  'server-keys': { path: '/server/keys', title: 'Signing keys', usable: 'main table button' },
  'server-mail': { path: '/server/mail', title: 'Mail', usable: 'main h1' },
  'server-backup': { path: '/server/backup', title: 'Backup', usable: 'main form button[type=submit]' },
}
