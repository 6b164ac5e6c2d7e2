/** Forms that add, edit and delete a curation rule. */
import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { foldText } from '@querent/contract/curation-text'
import { curationEdit } from '@querent/contract/edit-workspace-text'
import type { Api, Curation } from '@querent/contract/workspace-file'
import { type ReactNode, useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { useStoredDocument } from '#ui/document-name.tsx'
import { FileEditDialog, type FindFault } from '#ui/file-edit-dialog.tsx'
import { FormRefusal } from '#ui/file-refusal.ts'
import { lines } from '#ui/lines.ts'
import { SortableList } from '#ui/sortable-list.tsx'
import { DocumentNote, DocumentTitle } from './document-note.tsx'
import { FoundDocuments, type SearchedPlace, useFoundDocuments } from './found-documents.tsx'

interface RuleDialogProps extends DialogState {
  workspace: string
  api: string
  definition: Api
  /** Position in the list; undefined for a new rule. */
  index: number | undefined
}

/** Each takes a request. */
const checkedIdsMax = 20

/** Returns the parameter with the words of a match endpoint. */
const readParameter = ({ endpoints = {} }: Api, name: string): string => {
  const endpoint = endpoints[name]
  return endpoint?.kind === 'match' ? (endpoint.parameter ?? 'query') : 'query'
}

export const RuleDialog = ({ workspace, api, definition, index, ...dialog }: RuleDialogProps) => {
  const rules = definition.curation ?? []
  const searches = Object.entries(definition.endpoints ?? {}).flatMap(([value, { kind, title }]) =>
    kind === 'match' ? [{ value, label: title === undefined ? value : `${title} (${value})` }] : [],
  )
  const current = index === undefined ? undefined : rules[index]
  const [endpoint, setEndpoint] = useState(current?.endpoint ?? searches[0]?.value ?? '')
  const startParameter = readParameter(definition, endpoint)
  const [text, setText] = useState(current?.when[startParameter] ?? '')
  const documents = useRuleDocuments({ workspace, api, definition, endpoint }, current)
  const { pinnedIds, buriedIds } = documents
  /** Keeps the keys that the form does not show, and the lists that are empty in the file. */
  const makeRule = (): Curation => {
    const { [startParameter]: _, ...otherParameters } = current?.when ?? {}
    const { pin: __, bury: ___, ...kept } = current ?? { when: {}, endpoint }
    return {
      ...kept,
      when:
        text === '' ? otherParameters : { [readParameter(definition, endpoint)]: text, ...otherParameters },
      endpoint,
      // A typed id counts without a press of Add.
      ...(pinnedIds.length > 0 || current?.pin ? { pin: pinnedIds } : {}),
      ...(buriedIds.length > 0 || current?.bury ? { bury: buriedIds } : {}),
    }
  }
  const position = index ?? rules.length
  return (
    <FileEditDialog
      {...dialog}
      title={index === undefined ? t('Add rule') : t('Edit rule')}
      workspace={workspace}
      path={['apis', api, 'curation', ...(index === undefined ? [] : [index])]}
      submit={index === undefined ? t('Add') : t('Save')}
      edits={() => {
        if (documents.found)
          throw new FormRefusal(
            t('Choose a document for “{text}”, or clear the field.', { text: documents.typed }),
          )
        const rule = makeRule()
        refuseUselessRule(rule, rules.toSpliced(position, index === undefined ? 0 : 1))
        return [curationEdit(api, rules.toSpliced(position, index === undefined ? 0 : 1, rule))]
      }}
    >
      {fault => (
        <>
          <TextInput
            label={t('Text of the query')}
            description={t('The whole text. Case and spaces do not matter. Empty: every text.')}
            value={text}
            error={fault('when')}
            data-autofocus
            onChange={event => setText(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('Endpoint')}
            data={searches}
            value={endpoint}
            error={fault('endpoint')}
            onChange={event => setEndpoint(event.currentTarget.value)}
          />
          <DocumentInputs {...{ workspace, api, endpoint, documents, fault }} />
        </>
      )}
    </FileEditDialog>
  )
}

/** The documents of the rule, while somebody edits it. */
const useRuleDocuments = (place: SearchedPlace, rule: Curation | undefined) => {
  const [pinned, setPinned] = useState<readonly string[]>(rule?.pin ?? [])
  const [typed, type] = useState('')
  const [buried, setBuried] = useState((rule?.bury ?? []).join('\n'))
  const words = typed.trim()
  const results = useFoundDocuments(place, words)
  const hasFound = results !== undefined && results.documents.length > 0
  const { stored, isLoading } = useStoredDocument({ ...place, id: hasFound ? words : '' })
  return {
    pinned,
    setPinned,
    typed,
    type,
    /** The ids or URIs, one on each line. */
    buried,
    setBuried,
    buriedIds: lines(buried),
    /** Results for the typed text; undefined if there are none, or if it is an id. */
    found: hasFound && !stored && !isLoading ? results : undefined,
    /** With the one that is typed. */
    pinnedIds: [...pinned, ...lines(typed).filter(id => !pinned.includes(id))],
    pin: (...ids: string[]) => {
      setPinned(ids)
      type('')
    },
    bury: (...ids: string[]) => {
      setBuried(ids.join('\n'))
      type('')
    },
  }
}

interface DocumentInputsProps extends Omit<SearchedPlace, 'definition'> {
  documents: ReturnType<typeof useRuleDocuments>
  fault: FindFault
}

const DocumentInputs = ({ documents, fault, ...place }: DocumentInputsProps) => (
  <>
    <PinnedInput
      ids={documents.pinned}
      onChange={documents.setPinned}
      typed={documents.typed}
      onType={documents.type}
      onAdd={() => documents.pin(...documents.pinnedIds)}
      error={fault('pin')}
      found={
        documents.found && (
          <FoundDocuments
            list={documents.found}
            onFirst={id => documents.pin(...documents.pinned.filter(other => other !== id), id)}
            onLast={id => documents.bury(...documents.buriedIds.filter(other => other !== id), id)}
          />
        )
      }
      nameDocument={id => <DocumentTitle {...place} id={id} />}
      note={id => <DocumentNote {...place} id={id} />}
    />
    <Textarea
      label={t('Last in the results')}
      description={t('Ids or URIs of documents, one on each line.')}
      rows={3}
      value={documents.buried}
      error={fault('bury')}
      onChange={event => documents.setBuried(event.currentTarget.value)}
    />
    {documents.buriedIds.slice(0, checkedIdsMax).map((id, line) => (
      // The line, because its id changes while somebody types.
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text, in their order
      <DocumentNote key={line} {...place} id={id} />
    ))}
  </>
)

/** Throws a refusal for a rule that does nothing, contradicts itself or is there already. */
const refuseUselessRule = (rule: Curation, others: readonly Curation[]): void => {
  const { when, endpoint, pin = [], bury = [], ...further } = rule
  if (pin.length + bury.length === 0 && Object.keys(further).length === 0)
    throw new FormRefusal(t('Choose a document that comes first or last.'))
  const contradiction = pin.find(id => bury.includes(id))
  if (contradiction !== undefined)
    throw new FormRefusal(t('{id} cannot be both first and last.', { id: contradiction }))
  const isSame = (other: Curation) => other.endpoint === endpoint && foldWhen(other.when) === foldWhen(when)
  if (others.some(isSame)) throw new FormRefusal(t('There is a rule for this text already: edit that one.'))
}

/** Writes a condition so that equal ones are equal. */
const foldWhen = (when: Curation['when']): string =>
  JSON.stringify(
    Object.entries(when)
      .map(([name, value]) => [name, typeof value === 'string' ? foldText(value) : value])
      .toSorted(),
  )

interface PinnedInputProps {
  ids: readonly string[]
  onChange: (ids: readonly string[]) => void
  /** The id in the input. */
  typed: string
  onType: (id: string) => void
  onAdd: () => void
  error: string | undefined
  /** The documents that the text in the input finds, if it is no id. */
  found: ReactNode
  /** The title of a document of the list. */
  nameDocument: (id: string) => ReactNode
  /** The title of a document whose id is typed, or a warning that no document has it. */
  note: (id: string) => ReactNode
}

/** The documents that come first, in their order. */
const PinnedInput = ({ ids, onChange, typed, onType, onAdd, error, found, ...texts }: PinnedInputProps) => (
  <Stack gap="xs" role="group" aria-label={t('First in the results')}>
    <Text size="sm" fw={600}>
      {t('First in the results')}
    </Text>
    {ids.length > 0 && (
      <SortableList
        label={t('First in the results')}
        items={ids.map((id, index) => ({
          key: id,
          name: id,
          content: (
            <Group justify="space-between" gap="xs">
              <Stack gap={0} flex={1} miw={0}>
                {index < checkedIdsMax ? texts.nameDocument(id) : id}
              </Stack>
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                aria-label={t('Delete {name}', { name: id })}
                onClick={() => onChange(ids.filter(other => other !== id))}
              >
                {t('Delete')}
              </Button>
            </Group>
          ),
        }))}
        onMove={(from, target) => {
          const id = ids[from]
          if (id !== undefined) onChange(ids.toSpliced(from, 1).toSpliced(target, 0, id))
        }}
      />
    )}
    <Group align="flex-end" gap="xs">
      <TextInput
        label={t('Document')}
        description={t('Words that it has, or its id or URI.')}
        flex={1}
        value={typed}
        error={error}
        onChange={event => onType(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || typed.trim() === '') return
          event.preventDefault()
          if (!found) onAdd()
        }}
      />
      <Button variant="default" disabled={typed.trim() === '' || Boolean(found)} onClick={onAdd}>
        {t('Add document')}
      </Button>
    </Group>
    {/* An element of its own, so that it waits for the next letter. */}
    <div>{found || texts.note(typed.trim())}</div>
  </Stack>
)

export const DeleteRule = ({ workspace, api, definition, index = 0, ...dialog }: RuleDialogProps) => (
  <FileEditDialog
    {...dialog}
    title={t('Delete this rule?')}
    workspace={workspace}
    path={['apis', api, 'curation', index]}
    submit={t('Delete')}
    color="red"
    edits={() => [curationEdit(api, (definition.curation ?? []).toSpliced(index, 1))]}
  />
)
