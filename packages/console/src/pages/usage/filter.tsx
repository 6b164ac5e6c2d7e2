/** Choice of the period, API and endpoint. */
import { Button, Group, NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { IconRefresh } from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'
import type { UsagePeriod, UsageSearch } from './search.ts'

interface FilterProps {
  search: UsageSearch
  endpoints: UsageSummary['endpoints']
  onChange: (search: UsageSearch) => void
  onRefresh: () => unknown
  isRefreshing: boolean
}

export const Filter = ({ search, endpoints, onChange, onRefresh, isRefreshing }: FilterProps) => {
  const { period = '24h', from, to, api = '', endpoint = '' } = search
  const { from: _from, to: _to, ...others } = search
  const apis = new Set([...endpoints.map(figures => figures.api), ...(api === '' ? [] : [api])])
  const ofApi = new Set(
    [...endpoints.filter(figures => figures.api === api).map(figures => figures.endpoint), endpoint].filter(
      name => name !== '',
    ),
  )
  return (
    <Group align="flex-end" gap="md">
      <SegmentedControl<UsagePeriod | 'days'>
        className="period"
        aria-label={t('Period')}
        value={from === undefined ? period : 'days'}
        onChange={chosen =>
          onChange(
            chosen === 'days'
              ? { ...others, ...lastWeek(), period: undefined }
              : { ...others, period: chosen },
          )
        }
        data={[
          { value: '24h', label: t('24 hours') },
          { value: '7d', label: t('7 days') },
          { value: '30d', label: t('30 days') },
          { value: 'days', label: t('Choose days') },
        ]}
      />
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
      <NativeSelect
        label={t('API')}
        value={api}
        onChange={({ currentTarget }) =>
          onChange({ ...search, api: currentTarget.value || undefined, endpoint: undefined })
        }
        data={[{ value: '', label: t('All APIs') }, ...apis]}
      />
      <NativeSelect
        label={t('Endpoint')}
        value={endpoint}
        disabled={api === ''}
        onChange={({ currentTarget }) => onChange({ ...search, endpoint: currentTarget.value || undefined })}
        data={[{ value: '', label: api === '' ? t('Choose an API first') : t('All endpoints') }, ...ofApi]}
      />
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} />}
        loading={isRefreshing}
        onClick={() => void onRefresh()}
      >
        {t('Refresh')}
      </Button>
    </Group>
  )
}

const dayMs = 24 * 60 * 60 * 1000
const writeDay = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)
const lastWeek = () => ({ from: writeDay(Date.now() - 6 * dayMs), to: writeDay(Date.now()) })
