import { Anchor, Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ApiDescription, Entity, Highlights, ResultItem, Results } from '@querent/contract/query'
import { type ReactNode, useState } from 'react'
import { t, tCount } from '#i18n/translate.ts'
import { MixParts } from '#pages/try-it/mix-parts.tsx'
import { chooseFields, hasValue, rateFields } from '#ui/choose-fields.ts'
import { type Heading, readHeading } from '#ui/heading.ts'
import { Picture } from '#ui/picture.tsx'
import { findPicture, isPictureField, isRemote } from '#ui/pictures.ts'
import { plainText } from '#ui/plain-text.ts'
import { readableText } from '#ui/readable-text.ts'
import { spreadContainers } from '#ui/spread-containers.ts'
import type { DisplaySettings } from './display-settings.ts'
import { Field } from './field.tsx'
import { hasMatch, toPlainText } from './find-snippet.ts'
import { RankText } from './rank-text.tsx'
import { HeadingText } from './snippet.tsx'
import { type FieldTitles, titleField } from './title-field.ts'

interface ResultDisplay {
  fieldTitles: FieldTitles
  /** Whether scores rank the results. */
  isRanked: boolean
  endpoints: ApiDescription['endpoints']
  settings: DisplaySettings
  /** Attributes or paths that the results are sorted by: a card shows their values. */
  sortAttributes?: readonly string[]
  /** Results that a rule places first. */
  pinnedUris?: ReadonlySet<string>
  /** Buttons beside the heading of a result. */
  renderTools?: (uri: string, title: string) => ReactNode
}

interface ResultListProps extends ResultDisplay {
  results: Results
  view: 'compact' | undefined
}

/** Results, one below the other, with what was found marked. */
export const ResultList = ({ results, view, ...display }: ResultListProps) => {
  const items = results.items.map(item => ({ ...item, tuple: item.tuple.map(spreadEntity) }))
  const ratings = rateFields(items.flatMap(({ tuple: [entity] }) => (entity ? [entity] : [])))
  const ResultView = view === 'compact' ? CompactResult : Result
  return (
    <Stack
      gap={view === 'compact' ? 0 : 'sm'}
      component="ol"
      m={0}
      p={0}
      className={view === 'compact' ? 'compact-results' : undefined}
      style={{ listStyle: 'none' }}
    >
      {items.map(item => (
        <ResultView key={item.rank} item={item} ratings={ratings} {...display} />
      ))}
    </Stack>
  )
}

/** Shows what an object of all fields holds as fields. */
const spreadEntity = (entity: Entity): Entity => ({
  ...entity,
  attributes: spreadContainers(entity.attributes),
})

interface ResultProps extends ResultDisplay {
  item: ResultItem
  ratings: ReadonlyMap<string, number>
}

const Result = (props: ResultProps) => {
  const { item, ratings, fieldTitles, endpoints, isRanked, settings, renderTools } = props
  const { sortAttributes, pinnedUris } = props
  const { rank, probability, tuple, highlights = {}, parts } = item
  const [isWhole, setWhole] = useState(false)
  const [entity] = tuple
  if (!entity) return null
  const heading = readHeading(entity)
  const picture = readPicture(entity, settings)
  const allNames = listShownFields(entity, heading, highlights, picture)
  const chosen = chooseShown(entity, allNames, ratings, { highlights, settings, sortAttributes })
  const names = isWhole ? allNames : chosen
  return (
    <Paper withBorder p="md" component="li">
      <Group align="flex-start" gap="md" wrap="nowrap">
        {picture !== undefined && <Picture address={picture} />}
        <Stack gap="xs" flex={1} miw={0}>
          <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
            <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
              <HeadingText heading={heading} highlights={highlights} />
            </Title>
            {renderTools?.(entity.id, heading.text)}
          </Group>
          {parts && <MixParts parts={parts} endpoints={endpoints} />}
          {names.length > 0 && (
            <Group component="dl" gap="xs" m={0} style={{ columnGap: '1.5rem' }}>
              {names.map(name => (
                <Field
                  key={name}
                  name={name}
                  fieldTitles={fieldTitles}
                  value={entity.attributes[name]}
                  highlights={highlights}
                />
              ))}
            </Group>
          )}
          <Group gap="sm" align="center">
            <RankText rank={rank} probability={isRanked ? probability : undefined} />
            {pinnedUris?.has(entity.id) && <Badge variant="light">{t('Pinned')}</Badge>}
            {heading.text !== entity.id && <Uri uri={entity.id} />}
            {allNames.length > chosen.length && (
              <Button
                size="compact-xs"
                variant="subtle"
                aria-expanded={isWhole}
                onClick={() => setWhole(!isWhole)}
              >
                {tCount(allNames.length - chosen.length, '{count} more field', '{count} more fields')}
              </Button>
            )}
          </Group>
        </Stack>
      </Group>
    </Paper>
  )
}

/** More values would be cut off. */
const compactFields = 3

/** One line: rank, heading, and a few values. */
const CompactResult = (props: ResultProps) => {
  const { item, ratings, isRanked, settings, fieldTitles, renderTools, sortAttributes, pinnedUris } = props
  const { rank, probability, tuple, highlights = {} } = item
  const [entity] = tuple
  if (!entity) return null
  const heading = readHeading(entity)
  const picture = readPicture(entity, settings)
  const allNames = listShownFields(entity, heading, {}, picture)
  const names = chooseShown(entity, allNames, ratings, { highlights: {}, settings, sortAttributes })
  return (
    <li>
      <Text span size="xs" c="dimmed" miw="1.5rem" title={isRanked ? String(probability) : undefined}>
        {rank}
      </Text>
      {picture !== undefined && <Picture address={picture} size={28} />}
      <Text span size="sm" fw={600} truncate title={entity.id} component="h2" m={0}>
        <HeadingText heading={heading} highlights={highlights} />
      </Text>
      <Text span size="sm" c="dimmed" truncate className="compact-values">
        {names.slice(0, settings.fields ? undefined : compactFields).map(name => (
          <span key={name} title={titleField(name, fieldTitles)}>
            {[entity.attributes[name]]
              .flat()
              .map(each => readableText(each))
              .join(', ')}
          </span>
        ))}
      </Text>
      {pinnedUris?.has(entity.id) && <Badge variant="light">{t('Pinned')}</Badge>}
      {renderTools?.(entity.id, heading.text)}
    </li>
  )
}

const readPicture = (entity: Entity, { hasPictures }: DisplaySettings): string | undefined => {
  const picture = findPicture(entity)
  return picture !== undefined && isRemote(picture) && hasPictures !== true ? undefined : picture
}

/** The fields with a value, without those that the heading and the picture show. */
const listShownFields = (
  entity: Entity,
  heading: Heading,
  highlights: Highlights,
  picture: string | undefined,
): string[] => {
  const isCovered = coversField(heading, entity, highlights)
  return Object.entries(entity.attributes).flatMap(([name, value]) => {
    if (!hasValue(value) || (isCovered && name === heading.field)) return []
    // Another field may repeat the heading.
    if (highlights[name] === undefined && plainText(String([value].flat())) === heading.text) return []
    return picture !== undefined && isPictureField(name, [value].flat()) ? [] : [name]
  })
}

interface ShownBy {
  highlights: Highlights
  settings: DisplaySettings
  sortAttributes: readonly string[] | undefined
}

/** Whether the attribute is one of the paths, or an object on the way to one. */
const holdsAny = (name: string, paths: readonly string[]): boolean =>
  paths.some(path => path === name || path.startsWith(`${name}.`))

const chooseShown = (
  { attributes }: Entity,
  names: readonly string[],
  ratings: ReadonlyMap<string, number>,
  { highlights, settings: { fields }, sortAttributes = [] }: ShownBy,
): string[] =>
  fields
    ? fields.filter(name => names.includes(name))
    : chooseFields(
        names,
        ratings,
        names.filter(name => hasMatch(name, attributes[name], highlights) || holdsAny(name, sortAttributes)),
      )

/** Returns whether the heading shows the whole field with its marks, so that the field is not repeated. */
const coversField = ({ field, text }: Heading, { attributes }: Entity, highlights: Highlights): boolean => {
  if (field === undefined || [attributes[field]].flat().length > 1) return false
  const snippets = highlights[field]
  return (
    snippets === undefined || (snippets.length === 1 && plainText(toPlainText(snippets[0] ?? '')) === text)
  )
}

/** Links only web addresses, because documents may contain any URI. */
const Uri = ({ uri }: { uri: string }) =>
  /^https?:\/\//i.test(uri) ? (
    <Anchor href={uri} target="_blank" rel="noreferrer" size="xs" c="dimmed" inherit={false}>
      {uri}
    </Anchor>
  ) : (
    <Text size="xs" c="dimmed">
      {uri}
    </Text>
  )
