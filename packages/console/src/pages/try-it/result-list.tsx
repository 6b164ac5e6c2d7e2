import { Anchor, Button, Group, Mark, Paper, Stack, Text, Title } from '@mantine/core'
import type { ApiDescription, Entity, Highlights, ResultItem, Results } from '@querent/contract/query'
import { Fragment, type ReactNode, useState } from 'react'
import { language, t } from '#i18n/translate.ts'
import { type Heading, readHeading } from '#ui/heading.ts'
import { MixParts } from './mix-parts.tsx'
import { readableText, ValueList } from './value-text.tsx'

interface ResultDisplay {
  /** By field name; a field without one is called by its name. */
  fieldTitles: Readonly<Record<string, string>>
  /** Whether scores rank the results. */
  isRanked: boolean
  endpoints: ApiDescription['endpoints']
  /** Buttons beside the heading of a result. */
  renderTools?: (uri: string, title: string) => ReactNode
}

interface ResultListProps extends ResultDisplay {
  results: Results
}

/** Results, one below the other, with what was found marked. */
export const ResultList = ({ results: { items }, ...display }: ResultListProps) => (
  <Stack gap="sm" component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
    {items.map(item => (
      <Result key={item.rank} item={item} {...display} />
    ))}
  </Stack>
)

const Result = ({
  item: { rank, probability, tuple, highlights = {}, parts },
  fieldTitles,
  endpoints,
  isRanked,
  renderTools,
}: ResultDisplay & { item: ResultItem }) => {
  const [entity] = tuple
  if (!entity) return null
  const heading = readHeading(entity)
  const isWhole = coversField(heading, entity, highlights)
  const fields = Object.entries(entity.attributes).filter(
    ([name, value]) => hasValue(value) && !(isWhole && name === heading.field),
  )
  return (
    <Paper withBorder p="md" component="li">
      <Stack gap="xs">
        <Stack gap={2}>
          <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
            <Title order={2} size="h4" style={{ overflowWrap: 'anywhere' }}>
              <HeadingText heading={heading} highlights={highlights} />
            </Title>
            {renderTools?.(entity.id, heading.text)}
          </Group>
          <Group gap="xs" justify="space-between">
            {heading.field !== undefined && <Uri uri={entity.id} />}
            <RankText rank={rank} probability={isRanked ? probability : undefined} />
          </Group>
          {parts && <MixParts parts={parts} endpoints={endpoints} />}
        </Stack>
        {fields.length > 0 && (
          <Group component="dl" gap="xs" m={0} style={{ columnGap: '1.5rem' }}>
            {fields.map(([name, value]) => (
              <Field
                key={name}
                title={Object.hasOwn(fieldTitles, name) ? (fieldTitles[name] ?? name) : name}
                value={value}
                snippets={highlights[name]}
              />
            ))}
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

const HeadingText = ({ heading, highlights }: { heading: Heading; highlights: Highlights }) => {
  const [snippet, ...otherSnippets] = (heading.field !== undefined && highlights[heading.field]) || []
  return snippet !== undefined && otherSnippets.length === 0 && toPlainText(snippet) === heading.text ? (
    <Snippet html={snippet} />
  ) : (
    heading.text
  )
}

/** Returns whether the heading shows the whole field with its marks, so that the field is not repeated. */
const coversField = ({ field, text }: Heading, { attributes }: Entity, highlights: Highlights): boolean => {
  if (field === undefined || [attributes[field]].flat().length > 1) return false
  const snippets = highlights[field]
  return snippets === undefined || (snippets.length === 1 && toPlainText(snippets[0] ?? '') === text)
}

/** Returns the text of a snippet without its marks. */
const toPlainText = (html: string): string =>
  new DOMParser().parseFromString(html, 'text/html').body.textContent

/** Links only web addresses, because documents may contain any URI. */
const Uri = ({ uri }: { uri: string }) =>
  /^https?:\/\//i.test(uri) ? (
    <Anchor href={uri} target="_blank" rel="noreferrer" size="xs" ff="monospace">
      {uri}
    </Anchor>
  ) : (
    <Text size="xs" ff="monospace">
      {uri}
    </Text>
  )

/** A longer text has lines of its own. */
const inlineCharactersMax = 60

const Field = ({
  title,
  value,
  snippets,
}: {
  title: string
  value: unknown
  snippets?: string[] | undefined
}) => {
  const values = [value].flat()
  const text = values.map(each => readableText(each)).join(' · ')
  const isLong = snippets !== undefined || text.length > inlineCharactersMax
  return (
    <Text size="sm" component="div" w={isLong ? '100%' : undefined}>
      <Text component="dt" span size="sm" c="dimmed" mr={6}>
        {title}
      </Text>
      <dd style={{ display: isLong ? 'block' : 'inline', margin: 0 }}>
        {snippets ? (
          [...new Set(snippets)].map(snippet => (
            <div key={snippet}>
              <Snippet html={snippet} />
            </div>
          ))
        ) : text.length > charactersShown ? (
          <LongText title={title} text={text} />
        ) : (
          <ValueList values={values} />
        )}
      </dd>
    </Text>
  )
}

/** About three lines. */
const charactersShown = 240

/** Shows the start of a text, and all of it on demand. */
const LongText = ({ title, text }: { title: string; text: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {isOpen ? text : `${text.slice(0, charactersShown)}…`}{' '}
      <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? t('Less of {title}', { title }) : t('All of {title}', { title })}
      </Button>
    </>
  )
}

/** Empty lists and missing values are not worth a line. */
const hasValue = (value: unknown): boolean => value !== null && (!Array.isArray(value) || value.length > 0)

interface RankTextProps {
  rank: number
  /** Undefined if scores don't rank the results. */
  probability: number | undefined
}

/** The place of a result, and its score in percent of the best one. */
const RankText = ({ rank, probability }: RankTextProps) =>
  probability === undefined ? (
    <Text size="xs" c="dimmed">
      {t('rank {rank}', { rank })}
    </Text>
  ) : (
    <Text
      size="xs"
      c="dimmed"
      title={t('Score divided by the best score: {score}', { score: String(probability) })}
    >
      {t('rank {rank} · relevance {percent}', { rank, percent: formatPercent(probability) })}
    </Text>
  )

const percentFormat = new Intl.NumberFormat(language, { style: 'percent' })
const smallPercentFormat = new Intl.NumberFormat(language, { style: 'percent', maximumSignificantDigits: 1 })

/** `87%`, and `0.04%` where whole percents would be 0. */
const formatPercent = (share: number): string =>
  (share < 0.01 ? smallPercentFormat : percentFormat).format(share)

/** A highlighted snippet: HTML with `<mark>` and nothing else (query-service.md, option `highlight`), shown as text and marks. */
const Snippet = ({ html }: { html: string }) => {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return [...body.childNodes].map((node, index) =>
    node.nodeName === 'MARK' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, in their order
      <Mark key={index}>{node.textContent}</Mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, in their order
      <Fragment key={index}>{node.textContent}</Fragment>
    ),
  )
}
