/** The curation rules of an API, in their order, and the forms that change them. */
import { Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { curationEdit } from '@querent/contract/edit-workspace-text'
import type { Api, Curation as Rule } from '@querent/contract/workspace-file'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { EntryButtons } from '#ui/entry-buttons.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { DocumentNames, describeText } from '#ui/rule-sentences.tsx'
import type { SortableItem } from '#ui/sortable-list.tsx'
import { ApiFrame } from './api-frame.tsx'

const SortableList = lazy(async () => ({ default: (await import('#ui/sortable-list.tsx')).SortableList }))
const RuleDialog = lazy(async () => ({ default: (await import('./rule-dialog.tsx')).RuleDialog }))
const DeleteRule = lazy(async () => ({ default: (await import('./rule-dialog.tsx')).DeleteRule }))

export const Curation = () => {
  const { workspace, api } = useParams({ from: '/signed-in/w/$workspace/apis/$api/curation' })
  return (
    <ApiFrame workspace={workspace} api={api} current="curation">
      {definition => <RuleList workspace={workspace} api={api} definition={definition} />}
    </ApiFrame>
  )
}

interface RuleListProps {
  workspace: string
  api: string
  definition: Api
}

const RuleList = (place: RuleListProps) => {
  const { workspace, api, definition } = place
  const rules: readonly Rule[] = definition.curation ?? []
  const { reordered, save, error } = useSavedOrder(workspace, api)
  const orderedRules = reordered ?? rules
  const move = (from: number, target: number) => {
    const rule = orderedRules[from]
    if (rule) void save(orderedRules.toSpliced(from, 1).toSpliced(target, 0, rule))
  }
  const items = orderedRules.map((rule, index) => ({
    key: JSON.stringify(rule) + countBefore(orderedRules, index),
    name: describeText(rule),
    // Dialogs address a rule by its position in the file.
    content: <RuleRow {...place} rule={rule} index={index} isDisabled={reordered !== undefined} />,
  }))
  const canAdd = Object.values(definition.endpoints ?? {}).some(({ kind }) => kind === 'match')
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" size="sm" maw={700}>
          {t('A rule places documents first or last for the text of a query.')}
        </Text>
        <DialogButton label={t('Add rule')} disabled={!canAdd || reordered !== undefined}>
          {dialog => <RuleDialog {...dialog} {...place} index={undefined} />}
        </DialogButton>
      </Group>
      {error !== undefined && <ErrorNote error={error} />}
      {rules.length === 0 ? (
        <Empty title={t('No rules yet')}>
          {canAdd
            ? t('Add a rule to pin the documents that people should find first.')
            : t('Rules change the results of a full-text search. Add such an endpoint first.')}
        </Empty>
      ) : (
        <Suspense fallback={<PlainList items={items} />}>
          <SortableList label={t('Rules')} items={items} onMove={move} />
        </Suspense>
      )}
      <FileLink workspace={workspace} path={['apis', api, 'curation']} />
    </Stack>
  )
}

/**
 * Saves the order that the person chooses. `reordered` is that order until the file has it. An order that is chosen while another one is
 * saved is saved after it, so that quick moves are not lost.
 */
const useSavedOrder = (workspace: string, api: string) => {
  const { plan, apply } = useWorkspaceFileEdit(workspace)
  const latest = useRef<readonly Rule[]>(undefined)
  const [reordered, setReordered] = useState<readonly Rule[]>()
  const [error, setError] = useState<unknown>()
  const saveLatest = async () => {
    /** The text after the previous order. The first edit starts with what the page shows. */
    let base: string | undefined
    let saved: readonly Rule[] | undefined
    while (latest.current && latest.current !== saved) {
      saved = latest.current
      const planned = await plan([curationEdit(api, saved)], base)
      await apply(planned)
      base = planned.source
    }
  }
  const save = async (order: readonly Rule[]) => {
    const isSaving = latest.current !== undefined
    latest.current = order
    setReordered(order)
    setError(undefined)
    if (isSaving) return
    try {
      await saveLatest()
    } catch (fault) {
      setError(fault)
    } finally {
      latest.current = undefined
      setReordered(undefined)
    }
  }
  return { reordered, save, error }
}

/** Shows the rules until the library that moves them is loaded. */
const PlainList = ({ items }: { items: readonly SortableItem[] }) => (
  <Stack gap="xs">
    {items.map(({ key, content }) => (
      <Paper key={key} withBorder p="sm">
        {content}
      </Paper>
    ))}
  </Stack>
)

/** Returns how many equal rules come before this one, so that keys differ. */
const countBefore = (rules: readonly Rule[], index: number): number => {
  const text = JSON.stringify(rules[index])
  return rules.slice(0, index).filter(rule => JSON.stringify(rule) === text).length
}

interface RuleRowProps extends RuleListProps {
  rule: Rule
  index: number
  isDisabled: boolean
}

const RuleRow = ({ rule, index, isDisabled, ...place }: RuleRowProps) => (
  <Group justify="space-between" align="flex-start" gap="sm">
    <Stack gap={4} flex="1 1 14rem" miw={0}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {describeText(rule)}
        </Text>
        <Badge color="gray">{rule.endpoint}</Badge>
      </Group>
      <RuleDocuments {...place} rule={rule} label={t('First:')} ids={rule.pin} />
      <RuleDocuments {...place} rule={rule} label={t('Last:')} ids={rule.bury} />
    </Stack>
    <EntryButtons
      name={describeText(rule)}
      isDisabled={isDisabled}
      editDialog={dialog => <RuleDialog {...dialog} {...place} index={index} />}
      deleteDialog={dialog => <DeleteRule {...dialog} {...place} index={index} />}
    />
  </Group>
)

interface RuleDocumentsProps extends RuleListProps {
  rule: Rule
  label: string
  ids: readonly string[] | undefined
}

const RuleDocuments = ({ workspace, api, rule, label, ids = [] }: RuleDocumentsProps) =>
  ids.length > 0 && (
    <Text size="sm">
      <Text span size="sm" c="dimmed">
        {label}
      </Text>{' '}
      <DocumentNames workspace={workspace} api={api} endpoint={rule.endpoint} ids={ids} />
    </Text>
  )
