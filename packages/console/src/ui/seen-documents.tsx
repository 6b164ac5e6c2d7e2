import type { Member, MemberDefaults, NamedGroup, Role, RowFilter } from '@querent/contract/manage'
import { rolePermissions } from '@querent/contract/roles'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { FilterInWords } from './filter-in-words.tsx'
import { TextLink } from './links.tsx'
import { findGrants, findOpenApis, findOpenNames, type RightsHolder } from './member-groups.ts'
import { OpenNames } from './open-names.tsx'

type Holder = Pick<Member, 'filter'> & Omit<RightsHolder, 'roles'> & { roles: readonly Role[] }

interface SeenDocumentsProps {
  workspace: string
  /** E-mail address or Client ID. */
  member: string
  holder: Holder
}

/** Describes the documents that a member sees, with a link to a preview. */
export const SeenDocuments = ({ workspace, member, holder }: SeenDocumentsProps) => {
  const { data } = useSuspenseQuery(readOperation('listGroups', { params: { workspace } }))
  const source = findSource(holder, data)
  const isLimited = (['apis', 'collections'] as const).some(key => findOpenNames(key, holder, data) !== 'all')
  if (source.kind === 'all' && !isLimited) return t('all')
  return (
    <>
      <SourceInWords workspace={workspace} source={source} />{' '}
      <OpenNames workspace={workspace} holder={holder} />
      {holder.roles.some(role => rolePermissions[role].includes('query')) ? (
        <Preview workspace={workspace} member={member} holder={holder} />
      ) : (
        t('(no preview: their roles cannot query)')
      )}
    </>
  )
}

/** The documents that somebody will see who accepts an invitation with these rights. */
export const InvitedDocuments = ({ workspace, holder }: { workspace: string; holder: Holder }) => {
  const { data } = useSuspenseQuery(readOperation('listGroups', { params: { workspace } }))
  return (
    <>
      <SourceInWords workspace={workspace} source={findSource(holder, data)} />
      <OpenNames workspace={workspace} holder={holder} />
    </>
  )
}

const SourceInWords = ({ workspace, source }: { workspace: string; source: Source }) => {
  if (source.kind === 'all') return t('all')
  if (source.kind === 'groups') return t('what {groups} opens', { groups: source.titles.join(', ') })
  return (
    <>
      <FilterInWords workspace={workspace} filter={source.filter} />
      {source.kind === 'defaults' && ` ${t('(default)')}`}
    </>
  )
}

type Source =
  | { kind: 'all' }
  | { kind: 'own' | 'defaults'; filter: RowFilter }
  | { kind: 'groups'; titles: string[] }

/** Where the filter of a member comes from, as the server combines it (authorization-server.md, Row filters). */
const findSource = (
  holder: Holder,
  { items, memberDefaults }: { items: readonly NamedGroup[]; memberDefaults: MemberDefaults },
): Source => {
  const isEverything = (filter: RowFilter | undefined) => filter && Object.keys(filter).length === 0
  if (holder.filter)
    return isEverything(holder.filter) ? { kind: 'all' } : { kind: 'own', filter: holder.filter }
  if (holder.roles.includes('administrator')) return { kind: 'all' }
  const names = findGrants(holder).flatMap(({ name, hasEnded }) => (hasEnded ? [] : [name]))
  const openGroups = items.filter(({ group, filter }) => filter && names.includes(group))
  if (openGroups.length > 0)
    return openGroups.some(({ filter }) => isEverything(filter))
      ? { kind: 'all' }
      : { kind: 'groups', titles: openGroups.map(({ group, title }) => title ?? group) }
  const { filter } = memberDefaults
  return filter && !isEverything(filter) ? { kind: 'defaults', filter } : { kind: 'all' }
}

/** Links to "Try it" with the row filter of the member, at the first API that the member may use. */
const Preview = ({ workspace, member, holder }: SeenDocumentsProps) => {
  const { data: groups } = useSuspenseQuery(readOperation('listGroups', { params: { workspace } }))
  const { data } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  if (data.items.length === 0) return t('(create an API to preview)')
  const [api] = findOpenApis(data.items, holder, groups)
  if (!api) return t('(no preview: no API is open to them)')
  return (
    <TextLink
      to="/w/$workspace/apis/$api"
      params={{ workspace, api: api.api }}
      search={{ as: member }}
      size="sm"
    >
      {t('Preview as this member')}
    </TextLink>
  )
}
