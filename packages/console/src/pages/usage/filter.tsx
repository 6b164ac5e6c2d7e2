/** Choice of the period, API and endpoint. */
import { ActionIcon, Button, Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { useIsPhone } from '#ui/phone-fold.tsx'
import type { UsagePeriod, UsageSearch } from './search.ts'

interface FilterProps {
  search: UsageSearch
  endpoints: UsageSummary['endpoints']
  onChange: (search: UsageSearch) => void
  onRefresh: () => unknown
  isRefreshing: boolean
}

export const Filter = ({ search, endpoints, onChange, onRefresh, isRefreshing }: FilterProps) => {
  const { period = '24h', from, to, api = '' } = search
  const { from: _from, to: _to, ...others } = search
  const isPhone = useIsPhone()
  const [isOpen, setOpen] = useState(api !== '')
  const chosenPeriod = from === undefined ? period : 'days'
  const choosePeriod = (chosen: UsagePeriod | 'days') =>
    onChange(
      chosen === 'days' ? { ...others, ...lastWeek(), period: undefined } : { ...others, period: chosen },
    )
  const periods: { value: UsagePeriod | 'days'; label: string }[] = [
    { value: '24h', label: t('24 hours') },
    { value: '7d', label: t('7 days') },
    { value: '30d', label: t('30 days') },
    { value: 'days', label: t('Choose days') },
  ]
  return (
    <Group align="flex-end" gap="md">
      {isPhone ? (
        // One row: the page begins with the figures.
        <Group gap="xs" wrap="nowrap" w="100%">
          <NativeSelect
            aria-label={t('Period')}
            flex={1}
            value={chosenPeriod}
            onChange={({ currentTarget }) => {
              const chosen = periods.find(({ value }) => value === currentTarget.value)
              if (chosen) choosePeriod(chosen.value)
            }}
            data={periods}
          />
          <Button
            variant={api === '' ? 'default' : 'light'}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {t('Filter')}
          </Button>
          <ActionIcon
            variant="default"
            size="2.75rem"
            aria-label={t('Refresh')}
            loading={isRefreshing}
            onClick={() => void onRefresh()}
          >
            <IconRefresh size={18} />
          </ActionIcon>
        </Group>
      ) : (
        <SegmentedControl<UsagePeriod | 'days'>
          aria-label={t('Period')}
          value={chosenPeriod}
          onChange={choosePeriod}
          data={periods}
        />
      )}
      {from !== undefined && to !== undefined && (
        <>
          <TextInput
            type="date"
            label={t('From')}
            max={to}
            value={from}
            onChange={({ currentTarget: { value } }) => value !== '' && onChange({ ...search, from: value })}
          />
          <TextInput
            type="date"
            label={t('To')}
            min={from}
            value={to}
            onChange={({ currentTarget: { value } }) => value !== '' && onChange({ ...search, to: value })}
          />
        </>
      )}
      {(!isPhone || isOpen) && <Parts search={search} endpoints={endpoints} onChange={onChange} />}
      {!isPhone && (
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={isRefreshing}
          onClick={() => void onRefresh()}
        >
          {t('Refresh')}
        </Button>
      )}
    </Group>
  )
}

/** The API and the endpoint whose queries are counted. */
const Parts = ({ search, endpoints, onChange }: Pick<FilterProps, 'search' | 'endpoints' | 'onChange'>) => {
  const { api = '', endpoint = '' } = search
  const apis = new Set([...endpoints.map(figures => figures.api), ...(api === '' ? [] : [api])])
  const ofApi = new Set(
    [...endpoints.filter(figures => figures.api === api).map(figures => figures.endpoint), endpoint].filter(
      name => name !== '',
    ),
  )
  return (
    <>
      <NativeSelect
        label={t('API')}
        value={api}
        onChange={({ currentTarget }) =>
          onChange({ ...search, api: currentTarget.value || undefined, endpoint: undefined })
        }
        data={[{ value: '', label: t('All APIs') }, ...apis]}
      />
      {api !== '' && (
        <NativeSelect
          label={t('Endpoint')}
          value={endpoint}
          onChange={({ currentTarget }) =>
            onChange({ ...search, endpoint: currentTarget.value || undefined })
          }
          data={[{ value: '', label: t('All endpoints') }, ...ofApi]}
        />
      )}
    </>
  )
}

const dayMs = 24 * 60 * 60 * 1000
const writeDay = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)
const lastWeek = () => ({ from: writeDay(Date.now() - 6 * dayMs), to: writeDay(Date.now()) })
