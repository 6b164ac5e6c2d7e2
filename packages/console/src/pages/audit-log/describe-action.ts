/** Names the action of an entry by what changed: most saves of the console apply the workspace file. */
import type { AuditEntry } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { isRecord } from '#ui/value-words.ts'
import { actions } from './actions.ts'
import { type ChangedPath, readChangedPaths } from './changed-paths.ts'

/** Kinds of changes beyond which an entry has the general name. */
const kindsShown = 2

export const describeAction = (entry: Pick<AuditEntry, 'action' | 'detail'>): string => {
  // The same action creates and updates. Only an update has values of before.
  const created = isRecord(entry.detail.before) ? undefined : creations[entry.action]
  if (created !== undefined) return created
  const kinds = [...new Set(readChangedPaths(entry)?.map(describeKind))]
  return kinds.length > 0 && kinds.length <= kindsShown
    ? kinds.join(', ')
    : (actions.find(({ value }) => value === entry.action)?.label ?? entry.action)
}

const creations: Readonly<Record<string, string>> = {
  setGroup: t('Group created'),
  setMember: t('Member added'),
}

const describeKind = ({ change, section, part }: ChangedPath): string => {
  if (section === 'collections') return describeCollectionKind(change, part)
  if (section === 'apis') return describeApiKind(change, part)
  return sectionKinds[section] ?? t('Workspace file applied')
}

const describeCollectionKind = (change: string, part: string | undefined): string => {
  if (part === undefined && change === 'add') return t('Collection created')
  if (part === undefined && change === 'remove') return t('Collection deleted')
  return collectionKinds[part ?? ''] ?? t('Collection changed')
}

const describeApiKind = (change: string, part: string | undefined): string => {
  if (part === undefined && change === 'add') return t('API created')
  if (part === undefined && change === 'remove') return t('API deleted')
  return apiKinds[part ?? ''] ?? t('API changed')
}

const collectionKinds: Readonly<Record<string, string>> = {
  fields: t('Fields changed'),
  synonyms: t('Synonyms changed'),
  stopWords: t('Stop words changed'),
}

const apiKinds: Readonly<Record<string, string>> = {
  endpoints: t('Endpoints changed'),
  curation: t('Curation changed'),
}

const sectionKinds: Readonly<Record<string, string>> = {
  title: t('Settings updated'),
  description: t('Settings updated'),
  settings: t('Settings updated'),
  configurations: t('Configurations changed'),
  tests: t('Relevance tests changed'),
  groups: t('Groups changed'),
  members: t('Members changed'),
  memberDefaults: t('Defaults of members updated'),
  applications: t('Applications changed'),
  systemToSystem: t('System-to-System accounts changed'),
  identityProvider: t('OpenID provider changed'),
  branding: t('Look of the sign-in pages changed'),
}
