/** Keeps a text field found by its words when it becomes a keyword, which is found as a whole only. */
import { Checkbox } from '@mantine/core'
import type { Collection, Field } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'
import { listCopies } from '#ui/copied-field.ts'

export interface SearchableCopy {
  name: string
  field: Field
}

/**
 * Returns the field that would search the values of the field `name` after its change to `type`, as proposals make it: `Brand-text` beside
 * the keyword `Brand`. Undefined if the field keeps its words, never had them, or has such a copy.
 */
export const findSearchableCopy = (
  definition: Collection,
  name: string,
  type: string,
): SearchableCopy | undefined => {
  const { fields = {} } = definition
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (field?.type !== 'text' || type !== 'keyword') return undefined
  if (listCopies(definition, name).some(copy => fields[copy]?.type === 'text')) return undefined
  const { title: _, ...searched } = field
  return { name: findFreeName(`${name}-text`, fields), field: { ...searched, source: field.source ?? name } }
}

/** The same people see the copy. `visible` as in the workspace file. */
export const copyField = ({ field }: SearchableCopy, visible: readonly string[] | undefined): Field => {
  const { visible: _, ...others } = field
  return { ...others, ...(visible === undefined ? {} : { visible: [...visible] }) }
}

const findFreeName = (name: string, fields: object, number = 2): string => {
  const numbered = number === 2 ? name : `${name}-${number - 1}`
  return Object.hasOwn(fields, numbered) ? findFreeName(name, fields, number + 1) : numbered
}

interface SearchableCopyInputProps {
  copy: SearchableCopy
  isKept: boolean
  onChange: (isKept: boolean) => void
}

export const SearchableCopyInput = ({ copy, isKept, onChange }: SearchableCopyInputProps) => (
  <Checkbox
    label={t('Keep finding it by its words')}
    description={
      isKept
        ? t('Adds {copy}, a copy for searching.', { copy: copy.name })
        : t('Searches for words no longer find anything in this field, only filters for its whole value.')
    }
    checked={isKept}
    onChange={event => onChange(event.currentTarget.checked)}
  />
)
