import { Button, Text } from '@mantine/core'
import type { Highlights } from '@querent/contract/query'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { readableText } from '#ui/readable-text.ts'
import { hasMatch } from './find-snippet.ts'
import { Snippet } from './snippet.tsx'
import { type FieldTitles, titleField } from './title-field.ts'
import { ValueList } from './value-list.tsx'

/** A longer text has lines of its own. */
const inlineCharactersMax = 60

interface FieldProps {
  name: string
  fieldTitles: FieldTitles
  value: unknown
  /** Those of the whole result. */
  highlights: Highlights
}

/** One field of a result: its title and its values, with what was found marked. */
export const Field = ({ name, fieldTitles, value, highlights }: FieldProps) => {
  const title = titleField(name, fieldTitles)
  const values = [value].flat()
  const snippets = highlights[name]
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
              <Snippet html={snippet} whole={values.find(each => typeof each === 'string')} />
            </div>
          ))
        ) : text.length > charactersShown &&
          values.some(each => typeof each === 'string') &&
          !hasMatch(name, values, highlights) ? (
          <LongText title={title} text={text} />
        ) : (
          <ValueList values={values} name={name} fieldTitles={fieldTitles} highlights={highlights} />
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
