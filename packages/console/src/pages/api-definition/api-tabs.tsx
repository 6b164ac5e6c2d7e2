import { Stack, Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'

interface ApiTabsProps {
  workspace: string
  api: string
  current: 'try' | 'endpoints' | 'curation'
  children: ReactNode
}

/** The pages of an API, for those who may edit it. */
export const ApiTabs = ({ workspace, api, current, children }: ApiTabsProps) => {
  const navigate = useNavigate()
  const open = (name: string | null) => {
    const params = { workspace, api }
    if (name === 'endpoints') void navigate({ to: '/w/$workspace/apis/$api/endpoints', params })
    else if (name === 'curation') void navigate({ to: '/w/$workspace/apis/$api/curation', params })
    else void navigate({ to: '/w/$workspace/apis/$api', params })
  }
  return (
    <Tabs value={current} onChange={open} keepMounted={false}>
      <Tabs.List aria-label={t('Parts of the API')}>
        <Tabs.Tab value="try">{t('Try it')}</Tabs.Tab>
        <Tabs.Tab value="endpoints">{t('Endpoints')}</Tabs.Tab>
        <Tabs.Tab value="curation">{t('Curation')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={current} pt="lg">
        <Stack gap="lg">{children}</Stack>
      </Tabs.Panel>
    </Tabs>
  )
}
