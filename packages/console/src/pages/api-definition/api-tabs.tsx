/** The tabs of an API, the same on each of its pages. People who may only query see Try it without tabs. */
import { Tabs } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'

interface ApiTabsProps {
  workspace: string
  api: string
  current: 'try' | 'endpoints' | 'curation'
  children: ReactNode
}

/** Opens the last search in Try it, by workspace and API: the tab comes back to it. */
const openersByApi = new Map<string, () => unknown>()

/** Remembers how to open the search that Try it shows. */
export const rememberSearch = (workspace: string, api: string, open: () => unknown): void => {
  openersByApi.set(`${workspace}/${api}`, open)
}

export const ApiTabs = ({ workspace, api, current, children }: ApiTabsProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const navigate = useNavigate()
  if (!may('edit')) return children
  const open = (name: string | null) => {
    const params = { workspace, api }
    if (name === 'endpoints') void navigate({ to: '/w/$workspace/apis/$api/endpoints', params })
    else if (name === 'curation') void navigate({ to: '/w/$workspace/apis/$api/curation', params })
    else if (current !== 'try') {
      const openLast = openersByApi.get(`${workspace}/${api}`)
      void (openLast?.() ?? navigate({ to: '/w/$workspace/apis/$api', params }))
    }
  }
  return (
    <Tabs value={current} onChange={open} keepMounted={false}>
      <Tabs.List aria-label={t('Parts of the API')}>
        <Tabs.Tab value="try">{t('Try it')}</Tabs.Tab>
        <Tabs.Tab value="endpoints">{t('Endpoints')}</Tabs.Tab>
        <Tabs.Tab value="curation">{t('Curation')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={current} pt="lg">
        {children}
      </Tabs.Panel>
    </Tabs>
  )
}
