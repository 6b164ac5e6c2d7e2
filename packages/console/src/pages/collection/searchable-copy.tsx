/** Keeps a text field found by its words when it becomes a keyword, which is found as a whole only. */
import { Checkbox } from '@mantine/core'
import { fieldEdit, type WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { Collection, Field, WorkspaceFile } from '@querent/contract/workspace-file'
import { useSuspenseQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { listCopies } from '#ui/copied-field.ts'

interface SearchableCopy {
  name: string
  field: Field
}

/**
 * Returns the field that would search the values of the field `name` after its change to `type`, as proposals make it: `Brand-text` beside
 * the keyword `Brand`. Undefined if the field keeps its words, never had them, or has such a copy.
 */
const findSearchableCopy = (
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
const copyField = ({ field }: SearchableCopy, visible: readonly string[] | undefined): Field => {
  const { visible: _, ...others } = field
  return { ...others, ...(visible === undefined ? {} : { visible: [...visible] }) }
}

/** Returns the edits by which searches that name the field search its copy. */
const followCopy = (
  { apis = {}, collections = {} }: WorkspaceFile,
  collection: string,
  name: string,
  copy: SearchableCopy,
): WorkspaceEdit[] =>
  Object.entries(apis).flatMap(([api, { endpoints = {} }]) =>
    Object.entries(endpoints).flatMap(([endpointName, endpoint]) => {
      if (endpoint.kind !== 'match') return []
      const isOfCollection =
        endpoint.collection === undefined
          ? Object.keys(collections).length === 1
          : endpoint.collection === collection
      const index = endpoint.fields?.indexOf(name) ?? -1
      if (!isOfCollection || index === -1) return []
      return [{ path: ['apis', api, 'endpoints', endpointName, 'fields', index], value: copy.name }]
    }),
  )

const findFreeName = (name: string, fields: object, number = 2): string => {
  const numbered = number === 2 ? name : `${name}-${number - 1}`
  return Object.hasOwn(fields, numbered) ? findFreeName(name, fields, number + 1) : numbered
}

interface SearchableCopyInputProps {
  copy: SearchableCopy
  isKept: boolean
  onChange: (isKept: boolean) => void
}

const SearchableCopyInput = ({ copy, isKept, onChange }: SearchableCopyInputProps) => (
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

interface EditedField {
  workspace: string
  collection: string
  definition: Collection
  /** Undefined for a new field, which has no words to lose. */
  name: string | undefined
  /** The type that the form has. */
  type: string
}

/** The choice to keep the words of a field, with its edits. `visible`: who sees the field, as in the workspace file. */
export const useSearchableCopy = ({
  workspace,
  collection,
  definition,
  name = '',
  type,
}: EditedField): { input: ReactNode; edits: (visible: readonly string[] | undefined) => WorkspaceEdit[] } => {
  const { data } = useSuspenseQuery(readWorkspaceFile(workspace))
  const [isKept, setKept] = useState(true)
  const copy = findSearchableCopy(definition, name, type)
  if (!copy) return { input: null, edits: () => [] }
  const edits = (visible: readonly string[] | undefined) => [
    fieldEdit(collection, copy.name, copyField(copy, visible)),
    ...followCopy(data.file, collection, name, copy),
  ]
  return {
    input: <SearchableCopyInput copy={copy} isKept={isKept} onChange={setKept} />,
    edits: visible => (isKept ? edits(visible) : []),
  }
}
