/** Fields, settings and documents as entries of the command palette. */
import { useDebouncedValue } from '@mantine/hooks'
import type { ApiSummary, CollectionSummary } from '@querent/contract/manage'
import { writeStack } from '@querent/contract/paths'
import { IconAdjustments, IconColumns, IconFileText, IconSearch } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { listDocuments } from '#api/documents.ts'
import { createQueryApi } from '#api/query.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import type { Command } from './commands.ts'
import { readHeading } from './heading.ts'

/** Settings that the palette finds by name. */
const settings = [
  { label: t('Query log'), to: '/w/$workspace/settings/general' },
  { label: t('Earlier generations to keep'), to: '/w/$workspace/settings/general' },
  { label: t('Delete workspace'), to: '/w/$workspace/settings/general' },
  { label: t('Access token lifetime (minutes)'), to: '/w/$workspace/settings/security' },
  { label: t('Additional allowed origins (CORS)'), to: '/w/$workspace/settings/security' },
  { label: t('Require a second factor'), to: '/w/$workspace/settings/security' },
  { label: t('Allow unregistered applications'), to: '/w/$workspace/settings/security' },
  { label: t('Branding'), to: '/w/$workspace/settings/sign-in' },
  { label: t('OpenID provider'), to: '/w/$workspace/settings/sign-in' },
] as const

/** The settings and the fields of a workspace that the person may change. */
export const usePartCommands = (workspace: string, collections: readonly CollectionSummary[]): Command[] => {
  const navigate = useNavigate()
  const { may } = useWorkspaceAccess(workspace)
  const settingCommands = settings.map(
    ({ label, to }): Command => ({
      label,
      group: t('Setting'),
      icon: IconAdjustments,
      run: () => navigate({ to, params: { workspace } }),
    }),
  )
  const fieldCommands = collections.flatMap(({ collection, fields }) =>
    fields.map(
      ({ name, title = name }): Command => ({
        label: title === name ? name : `${title} (${name})`,
        group: t('Field of {collection}', { collection }),
        icon: IconColumns,
        run: () =>
          navigate({ to: '/w/$workspace/data/$collection/fields', params: { workspace, collection } }),
      }),
    ),
  )
  return [...(may('administer') ? settingCommands : []), ...(may('edit') ? fieldCommands : [])]
}

const pauseMs = 250
/** A single letter finds nothing that somebody looks for. */
const charactersMin = 2
/** A browser asks six at a time. */
const collectionsMax = 30
const documentsMax = 3

/** The best documents for a text, of the collections that the person may read. They follow when the person pauses. */
export const useDocumentCommands = (
  workspace: string,
  collections: readonly CollectionSummary[],
  text: string,
): Command[] => {
  const navigate = useNavigate()
  const { may } = useWorkspaceAccess(workspace)
  const [search] = useDebouncedValue(text.trim(), pauseMs)
  const isSearched = may('edit') && search.length >= charactersMin && search === text.trim()
  const readable = collections.filter(({ documents }) => documents !== null && documents > 0)
  const lists = useQueries({
    queries: (isSearched ? readable.slice(0, collectionsMax) : []).map(({ collection, idField }) => ({
      queryKey: ['documents', workspace, collection, 'palette', search],
      queryFn: async () => {
        const { items } = await listDocuments(
          workspace,
          collection,
          { search, where: {} },
          undefined,
          documentsMax,
        )
        return items.map(({ [idField]: id, ...attributes }) => ({ collection, id: String(id), attributes }))
      },
      retry: false,
    })),
  })
  return lists
    .flatMap(({ data }) => data ?? [])
    .map(
      ({ collection, id, attributes }): Command => ({
        label: readHeading({ id, attributes }).text,
        group: t('Document of {collection}', { collection }),
        key: `${collection} ${id}`,
        icon: IconFileText,
        run: () =>
          navigate({
            to: '/w/$workspace/data/$collection',
            params: { workspace, collection },
            search: { document: id },
          }),
      }),
    )
}

/** APIs of a workspace that are offered a text. */
const apisMax = 10

/** Searches for a text in each API that has an endpoint for one: also for people who only search. */
export const useSearchCommands = (
  workspace: string,
  apis: readonly ApiSummary[],
  text: string,
): Command[] => {
  const navigate = useNavigate()
  const { may } = useWorkspaceAccess(workspace)
  const search = text.trim()
  const searchable = apis.filter(({ endpoints }) => endpoints.some(({ kind }) => kind === 'match'))
  const descriptions = useQueries({
    queries: (may('query') && search.length >= charactersMin ? searchable.slice(0, apisMax) : []).map(
      ({ api }) => ({
        queryKey: ['about', workspace, api],
        queryFn: () => createQueryApi(workspace, api).about(),
        retry: false,
      }),
    ),
  })
  return descriptions.flatMap(({ data }, index): Command[] => {
    const api = searchable[index]
    const endpoint = data?.endpoints.find(({ kind }) => kind === 'match')
    const parameter = endpoint?.parameters.find(({ required }) => required)
    if (!api || !endpoint || !parameter) return []
    const parameters = [{ name: parameter.name, value: search }]
    return [
      {
        label: t('Search for “{text}” in {title}', { title: api.title, text: search }),
        group: t('API'),
        key: `search ${api.api}`,
        icon: IconSearch,
        run: () =>
          navigate({
            to: '/w/$workspace/apis/$api',
            params: { workspace, api: api.api },
            search: { stack: writeStack([{ endpoint: endpoint.name, parameters }]) },
          }),
      },
    ]
  })
}
