/** Choice of the period, API and endpoint. */
import { Group, NativeSelect, SegmentedControl } from '@mantine/core'
import type { UsageSummary } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import type { UsagePeriod, UsageSearch } from './search.ts'

interface FilterProps {
  search: UsageSearch
  endpoints: UsageSummary['endpoints']
  onChange: (search: UsageSearch) => void
}

export const Filter = ({ search, endpoints, onChange }: FilterProps) => {
  const { period = '24h', api = '', endpoint = '' } = search
  const apis = new Set([...endpoints.map(figures => figures.api), ...(api === '' ? [] : [api])])
  const ofApi = new Set(
    [...endpoints.filter(figures => figures.api === api).map(figures => figures.endpoint), endpoint].filter(
      name => name !== '',
    ),
  )
  return (
    <Group align="flex-end" gap="md">
      <SegmentedControl<UsagePeriod>
        aria-label={t('Period')}
        value={period}
        onChange={chosen => onChange({ ...search, period: chosen })}
        data={[
          { value: '24h', label: t('24 hours') },
          { value: '7d', label: t('7 days') },
          { value: '30d', label: t('30 days') },
        ]}
      />
      <NativeSelect
        label={t('API')}
        value={api}
        onChange={({ currentTarget }) => onChange({ period, api: currentTarget.value || undefined })}
        data={[{ value: '', label: t('All APIs') }, ...apis]}
      />
      <NativeSelect
        label={t('Endpoint')}
        value={endpoint}
        disabled={api === ''}
        onChange={({ currentTarget }) => onChange({ ...search, endpoint: currentTarget.value || undefined })}
        data={[{ value: '', label: t('All endpoints') }, ...ofApi]}
      />
    </Group>
  )
}
