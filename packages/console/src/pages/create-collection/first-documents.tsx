import { Button, Group, Stack, Text } from '@mantine/core'
import type { Proposal } from '@querent/contract/proposal'
import { readPath } from '@querent/contract/read-value'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { Picture } from '#ui/picture.tsx'
import { findPicture, isPictureField, isRemote } from '#ui/pictures.ts'

const documentsShown = 3

interface FirstDocumentsProps {
  sample: Proposal['sample']
  /** The texts that are searched, the heaviest first. */
  texts: readonly string[]
}

/** The first documents as results: their heading, their texts, and their picture. */
export const FirstDocuments = ({ sample, texts }: FirstDocumentsProps) => {
  const [hasPictures, setPictures] = useState(false)
  const documents = sample.slice(0, documentsShown)
  const pictures = documents.map(document => findPicture({ attributes: document }))
  const isHidden = !hasPictures && pictures.some(picture => picture !== undefined && isRemote(picture))
  const isPicture = (name: string) =>
    isPictureField(
      name,
      sample.map(document => readPath(document, name)).filter(value => (value ?? '') !== ''),
    )
  const [title, ...others] = texts.filter(name => !isPicture(name))
  return (
    <Stack gap="sm" flex={1} miw={220}>
      {documents.map((document, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and its documents may be equal
        <Group key={index} gap="md" align="flex-start" wrap="nowrap">
          <ShownPicture address={pictures[index]} hasRemote={hasPictures} />
          <Stack gap={0} miw={0}>
            <Text fw={600}>{describe(title === undefined ? document : readPath(document, title))}</Text>
            {others.map(name => (
              <Text key={name} size="sm" lineClamp={2}>
                {describe(readPath(document, name))}
              </Text>
            ))}
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

const ShownPicture = ({ address, hasRemote }: { address: string | undefined; hasRemote: boolean }) =>
  address === undefined || (isRemote(address) && !hasRemote) ? null : <Picture address={address} />

const describe = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : Array.isArray(value)
      ? value.map(describe).join(', ')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)
