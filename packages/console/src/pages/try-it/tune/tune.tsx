import { Group, Loader, NativeSelect, Slider, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { applyEdits, endpointKeyEdit, type WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { ResultItem } from '@querent/contract/query'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { language, t } from '#i18n/translate.ts'
import { fetchAnswer, type ShownQuery } from '#pages/try-it/answer.ts'
import { ReviewEdit } from '#pages/try-it/review-edit.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Loading } from '#ui/loading.tsx'
import { BoostGroup } from './boost-group.tsx'
import { addBoost, listBoostableFields, listWorkingBoosts, removeBoost } from './boosts.ts'
import { ComparedResults } from './compared-results.tsx'
import {
  listSettings,
  type MovedValues,
  makeChanges,
  makeEdits,
  type RankingSetting,
  ranksInSteps,
} from './settings.ts'

interface TuneProps extends ShownQuery {
  /** The results with the saved settings. */
  items: readonly ResultItem[]
  /** Learns whether there is something to save. */
  onChange: (hasEdits: boolean) => void
}

/** Another query keeps what was moved; another view does not. */
const parameters = ['show']

const pauseMs = 200

/** Moves what ranks the query, and compares its results with the saved ones. The search of other people stays as it is. */
export const Tune = (props: TuneProps) => {
  const { workspace, api, stack, config, offset, previewedMember, items, onChange } = props
  const { content, error: fileError } = useWorkspaceFileEdit(workspace)
  const [moved, setMoved] = useState<MovedValues>({})
  const [boostEdits, setBoostEdits] = useState<readonly WorkspaceEdit[]>([])
  const [settled] = useDebouncedValue(moved, pauseMs)
  const draft = content && applyEdits(content.file, boostEdits)
  const settings = draft ? listSettings(draft, api, stack) : []
  const changes = draft && makeChanges(draft, api, settings, settled, boostEdits)
  const { data, error, isFetching } = useQuery({
    queryKey: ['tuned', workspace, api, stack, config, offset, previewedMember, changes],
    queryFn: ({ signal }) =>
      fetchAnswer({ workspace, api, stack, config, offset, previewedMember, changes, signal }),
    enabled: changes !== undefined,
    placeholderData: keepPreviousData,
  })
  if (fileError !== null && fileError !== undefined) return <ErrorNote error={fileError} />
  if (!draft) return <Loading />
  const boostable = listBoostableFields(draft, api, stack)
  const boosts = listWorkingBoosts(draft, api, stack)
  const addEdits = (...edits: WorkspaceEdit[]) => setBoostEdits([...boostEdits, ...edits])
  if (settings.length + boosts.length + boostable.length === 0)
    return (
      <Text>
        {t('This query has no weights and no boosts. Search by words, or add a boost with a factor.')}
      </Text>
    )
  const isWorking = ({ group }: RankingSetting) =>
    group.kind === 'boost' && boosts.some(({ name }) => name === group.name)
  const groups = Map.groupBy(
    settings.filter(setting => !isWorking(setting)),
    ({ group }) => `${group.kind} ${group.name}`,
  )
  const readTitle = (name: string) => draft.apis?.[api]?.endpoints?.[name]?.title ?? name
  const slider = (setting: RankingSetting) => (
    <SettingSlider
      key={setting.key}
      setting={setting}
      value={moved[setting.key] ?? setting.value}
      onChange={value => setMoved({ ...moved, [setting.key]: value })}
    />
  )
  return (
    <Stack gap="lg">
      <Text size="sm">
        {t('Move the settings and compare. Other people search as before until you save.')}
      </Text>
      <Stack gap="md">
        {[...groups.values()].map(
          ([first, ...others]) =>
            first && (
              <Stack key={first.key} gap="sm" role="group" aria-label={groupTitle(first, readTitle)}>
                <Title order={2} size="h5">
                  {groupTitle(first, readTitle)}
                </Title>
                {first.group.kind === 'collection' && ranksInSteps(draft, api, stack) && (
                  <Text size="sm" c="dimmed">
                    {t(
                      'Weights decide among equally good matches. First come documents with more of the words, fewer typos, whole words, and a field that equals the text.',
                    )}
                  </Text>
                )}
                {[first, ...others].map(slider)}
              </Stack>
            ),
        )}
        {boosts.map(boost => (
          <BoostGroup
            key={`${boost.search} ${boost.name}`}
            boost={boost}
            onChange={by => addEdits(endpointKeyEdit(api, boost.name, 'by', by))}
            onRemove={() => addEdits(removeBoost(draft, api, boost))}
          >
            {settings.filter(({ group }) => group.kind === 'boost' && group.name === boost.name).map(slider)}
          </BoostGroup>
        ))}
      </Stack>
      {boostable.length > 0 && (
        <NativeSelect
          label={t('Add boost')}
          description={t('Among equally good matches, higher numbers and later dates come first.')}
          maw={320}
          value=""
          data={[
            { value: '', label: t('Choose a field') },
            ...boostable.map(({ name, title }) => ({ value: name, label: title })),
          ]}
          onChange={({ currentTarget: { value } }) => addEdits(...addBoost(draft, api, stack, value))}
        />
      )}
      <ReviewEdit
        workspace={workspace}
        edits={[...boostEdits, ...makeEdits(draft, api, settings, moved)]}
        onDone={() => {
          setMoved({})
          setBoostEdits([])
        }}
        onChange={onChange}
        parameters={parameters}
      />
      <Group mih={22} role="status">
        {isFetching && <Loader size="xs" role="img" aria-label={t('Searching')} />}
      </Group>
      {error ? (
        <ErrorNote error={error} />
      ) : (
        <ComparedResults before={items} after={changes ? data?.reply[0].items : items} />
      )}
    </Stack>
  )
}

/** `readTitle`: that of an endpoint. */
const groupTitle = (
  { group: { kind, name } }: RankingSetting,
  readTitle: (endpoint: string) => string,
): string =>
  kind === 'collection'
    ? t('Weights of the fields of {name}', { name })
    : kind === 'mix'
      ? t('Weights of the parts of {name}', { name: readTitle(name) })
      : t('Boost {name}', { name: readTitle(name) })

const settingLabels: Readonly<Record<string, string>> = {
  by: t('Factor'),
  halfLife: t('Half-life'),
  halfDistance: t('Half distance'),
}

interface SettingSliderProps {
  setting: RankingSetting
  value: number
  onChange: (value: number) => void
}

const SettingSlider = ({ setting, value, onChange }: SettingSliderProps) => {
  const { key, group, label, unit, min, max, step } = setting
  const name = group.kind === 'boost' ? (settingLabels[label] ?? label) : label
  const format = (number: number) => `${number.toLocaleString(language)}${unit && ` ${unit}`}`
  return (
    <Group gap="md" wrap="nowrap">
      <Text size="sm" w={140} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      <Slider
        key={key}
        flex={1}
        min={min}
        max={max}
        step={step}
        value={value}
        // Floating point: 0.1 + 0.2.
        onChange={next => onChange(Math.round(next * 100) / 100)}
        label={null}
        thumbLabel={name}
        thumbProps={{ 'aria-valuetext': format(value) }}
      />
      <Text size="sm" w={64} ta="right">
        {format(value)}
      </Text>
    </Group>
  )
}
