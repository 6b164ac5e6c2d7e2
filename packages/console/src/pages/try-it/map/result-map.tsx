/** The results of a query on a map. */
import { Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { language, t, tCount } from '#i18n/translate.ts'
import { fetchAnswer, type ShownQuery } from '#pages/try-it/answer.ts'
import { type PlaceField, readPlaces } from '#pages/try-it/read-places.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { readHeading } from '#ui/heading.ts'
import { Loading } from '#ui/loading.tsx'
import { type MappedDocument, PlaceMap } from './place-map.tsx'

/** More points would cover each other. */
const mappedMax = 200

interface ResultMapProps extends ShownQuery {
  /** The fields of type `geo`. */
  places: readonly PlaceField[]
}

export const ResultMap = ({ workspace, api, stack, config, previewedMember, places }: ResultMapProps) => {
  const [selected, setSelected] = useState<readonly MappedDocument[]>([])
  const { data, error } = useQuery({
    queryKey: ['results', workspace, api, stack, config, 'map', previewedMember],
    queryFn: ({ signal }) =>
      fetchAnswer({ workspace, api, stack, config, offset: 0, count: mappedMax, previewedMember, signal }),
    placeholderData: keepPreviousData,
  })
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  const [{ items }, { total }] = data.reply
  const documents = items.flatMap(({ tuple: [entity] }) =>
    entity
      ? readPlaces(entity, places).map(place => ({ id: entity.id, title: readHeading(entity).text, place }))
      : [],
  )
  const mapped = new Set(documents.map(({ id }) => id)).size
  if (mapped === 0) return <Text>{t('These results have no places.')}</Text>
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {total > mapped
          ? t('{mapped} of {total} results are on the map.', { mapped, total })
          : tCount(mapped, '{count} result is on the map.', '{count} results are on the map.')}
      </Text>
      <PlaceMap documents={documents} selected={selected} onSelect={setSelected} />
      <Stack gap={4} role="status">
        {selected.map(({ id, title, place }) => (
          <Group key={`${id} ${place.lat} ${place.lon}`} gap="sm">
            <Text size="sm" fw={600}>
              {title}
            </Text>
            <Text size="sm" c="dimmed">
              {coordinateFormat.format(place.lat)}, {coordinateFormat.format(place.lon)}
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}

const coordinateFormat = new Intl.NumberFormat(language, { maximumFractionDigits: 5 })
