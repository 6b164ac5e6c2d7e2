import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { findOpenNames, type RightsHolder } from './member-groups.ts'

interface OpenNamesProps {
  workspace: string
  holder: RightsHolder
}

/** Names the only APIs and collections that somebody may use, by title. Renders nothing for somebody who may use all. */
export const OpenNames = ({ workspace, holder }: OpenNamesProps) => {
  const params = { workspace }
  const { data: groups } = useSuspenseQuery(readOperation('listGroups', { params }))
  const { data: apis } = useSuspenseQuery(readOperation('listApis', { params }))
  const { data: collections } = useSuspenseQuery(readOperation('listCollections', { params }))
  const openApis = findOpenNames('apis', holder, groups)
  const openCollections = findOpenNames('collections', holder, groups)
  return (
    <>
      {openApis !== 'all' && (
        <Text size="xs" c="dimmed">
          {t('APIs: {names}', {
            names: listTitles(openApis, name => apis.items.find(({ api }) => api === name)?.title),
          })}
        </Text>
      )}
      {openCollections !== 'all' && (
        <Text size="xs" c="dimmed">
          {t('Collections: {names}', {
            names: listTitles(
              openCollections,
              name => collections.items.find(({ collection }) => collection === name)?.title,
            ),
          })}
        </Text>
      )}
    </>
  )
}

const listTitles = (names: readonly string[], readTitle: (name: string) => string | undefined): string =>
  [...new Set(names)].map(name => readTitle(name) ?? name).join(', ') || t('none')
