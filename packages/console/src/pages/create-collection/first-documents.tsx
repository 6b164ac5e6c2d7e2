import { Button, Group, Stack, Text } from '@mantine/core'
import { createAttributesReader, type FieldForm } from '@querent/contract/field-forms'
import type { Proposal, ProposedField } from '@querent/contract/proposal'
import { readPath } from '@querent/contract/read-path'
import { toTitle } from '@querent/contract/titles'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { readHeading } from '#ui/heading.ts'
import { Picture } from '#ui/picture.tsx'
import { findPicture, isPictureField, isRemote } from '#ui/pictures.ts'
import { readableText } from '#ui/readable-text.ts'

const documentsShown = 3
/** Prices, dates and other measures of a document. */
const measuresShown = 4

interface FirstDocumentsProps {
  sample: Proposal['sample']
  /** The fields that are used. */
  fields: readonly ProposedField[]
  count?: number
}

/** The first documents as results: their heading, their texts, their prices and dates, and their picture. */
export const FirstDocuments = ({ sample, fields, count = documentsShown }: FirstDocumentsProps) => {
  const texts = fields
    .filter(({ type }) => type === 'text')
    .toSorted((one, next) => next.weight - one.weight)
    .map(({ name }) => name)
  const measures = fields
    .filter(({ type, range, sort, facet }) => measureTypes.includes(type) && (range || sort || facet))
    .slice(0, measuresShown)
  const [hasPictures, setPictures] = useState(false)
  const read = createAttributesReader(Object.fromEntries(fields.map(field => [field.name, readForm(field)])))
  const documents = sample.slice(0, count).map(read)
  const pictures = documents.map(document => findPicture({ attributes: document }))
  const isHidden = !hasPictures && pictures.some(picture => picture !== undefined && isRemote(picture))
  const isPicture = (name: string) =>
    isPictureField(
      name,
      sample.map(document => readPath(document, name)).filter(value => (value ?? '') !== ''),
    )
  const shownTexts = texts.filter(name => !isPicture(name) && !isForPrograms(name, documents))
  return (
    <Stack gap="sm" flex={1} miw={220}>
      {documents.map((document, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and its documents may be equal
        <Group key={index} gap="md" align="flex-start" wrap="nowrap">
          <ShownPicture address={pictures[index]} hasRemote={hasPictures} />
          <Stack gap={0} miw={0}>
            <Texts document={document} names={shownTexts} />
            <Measures document={document} fields={measures} />
          </Stack>
        </Group>
      ))}
      {isHidden && (
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            title={t('Those servers learn your IP address when you look at results.')}
            onClick={() => setPictures(true)}
          >
            {t('Show pictures')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const readForm = ({ formats, listSeparator }: ProposedField): FieldForm => ({
  ...(formats ? { formats } : {}),
  ...(listSeparator === undefined ? {} : { listSeparator }),
})

/** Whether the values are addresses, or codes with digits: people do not read them. */
const isForPrograms = (name: string, documents: readonly Proposal['sample'][number][]): boolean => {
  const values = documents.flatMap(document => readPath(document, name) ?? [])
  return (
    values.length > 0 &&
    values.every(value => typeof value === 'string' && /^https?:\/\/\S+$|^[^\s]*\d[^\s]*$/.test(value))
  )
}

/** Addresses of products, whose words are those of the title. */
const isSlug = (name: string): boolean => /^(?:handle|slug)$/i.test(name)
/** A heading that is made from the handle has the options. */
const isInHeading = (name: string): boolean => isSlug(name) || /^option ?\d value$/i.test(name)

/** The heading that results will have, and the other texts. A document without any shows its values. */
const Texts = ({ document, names }: { document: Proposal['sample'][number]; names: readonly string[] }) => {
  const texts = names.flatMap(name => {
    const text = describe(readPath(document, name))
    return text === '' ? [] : [{ name, text }]
  })
  const resultHeading = readHeading({ id: '', attributes: document })
  const isVariant = Object.keys(document).some(isSlug)
  const [first = { name: '', text: describe(document) }] = texts
  const heading =
    isVariant && resultHeading.text !== ''
      ? { name: resultHeading.field ?? '', text: resultHeading.text }
      : first
  const otherTexts = texts.filter(
    ({ name }) =>
      name !== heading.name &&
      !(isVariant && (resultHeading.field === undefined ? isInHeading(name) : isSlug(name))),
  )
  return (
    <>
      <Text fw={600} lineClamp={2}>
        {heading.text}
      </Text>
      {otherTexts.map(({ name, text }) => (
        <Text key={name} size="sm" lineClamp={2}>
          {text}
        </Text>
      ))}
    </>
  )
}

const ShownPicture = ({ address, hasRemote }: { address: string | undefined; hasRemote: boolean }) =>
  address === undefined || (isRemote(address) && !hasRemote) ? null : <Picture address={address} />

const measureTypes: readonly ProposedField['type'][] = ['number', 'date']

const Measures = ({
  document,
  fields,
}: {
  document: Proposal['sample'][number]
  fields: readonly ProposedField[]
}) => {
  const parts = fields.flatMap(({ name }) => {
    const text = describe(readPath(document, name))
    return text === '' ? [] : [`${toTitle(name)} ${text}`]
  })
  return parts.length === 0 ? null : (
    <Text size="sm" c="dimmed">
      {parts.join(' · ')}
    </Text>
  )
}

const describe = (value: unknown): string => (value === undefined ? '' : readableText(value))
