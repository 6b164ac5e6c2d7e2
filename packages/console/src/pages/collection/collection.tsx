/** One collection: its heading and its tabs. Each tab is a route with a file of its own (routes.tsx). */
import { Alert, Tabs } from '@mantine/core'
import type { CollectionSummary } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useMatch, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tCount } from '#i18n/translate.ts'
import { collectionAddress, collectionPages } from '#ui/collection-pages.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Loading } from '#ui/loading.tsx'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { TabList } from '#ui/tab-list.tsx'
import { CollectionContext, collectionRoute } from './collection-context.ts'
import { useImport } from './use-import.ts'

const DeleteCollection = lazy(async () => ({
  default: (await import('./delete-collection.tsx')).DeleteCollection,
}))
const ImportGuard = lazy(async () => ({ default: (await import('./import-guard.tsx')).ImportGuard }))

export const Collection = () => {
  const { workspace, collection } = useParams({ from: collectionRoute })
  const { data } = useSuspenseQuery(readOperation('listCollections', { params: { workspace } }))
  const summary = data.items.find(item => item.collection === collection)
  if (!summary) return <NotFound />
  return <CollectionPage key={`${workspace}/${collection}`} workspace={workspace} summary={summary} />
}

/** The number of fields without copies for searching, or their names and types for people who have no tab with them. */
const describeFields = (fields: CollectionSummary['fields'], hasTab: boolean): string =>
  hasTab
    ? `${tCount(fields.filter(({ source }) => source === undefined).length, '{count} field', '{count} fields')}.`
    : fields.map(({ name, type }) => `${name}: ${type}`).join(', ')

const CollectionPage = ({ workspace, summary }: { workspace: string; summary: CollectionSummary }) => {
  const { collection, title, documents, fields } = summary
  const { may } = useWorkspaceAccess(workspace)
  const upload = useImport(workspace, collection)
  const navigate = useNavigate()
  const { pathname } = useMatch({ from: collectionRoute })
  const address = collectionAddress + useLocation().pathname.slice(pathname.length).replace(/\/$/, '')
  const tabs = collectionPages.filter(({ needs }) => may(needs))
  const [firstTab] = tabs
  const current = (tabs.find(({ to }) => to === address) ?? firstTab)?.to ?? null
  const count =
    documents === null ? t('Documents') : tCount(documents, '{count} document', '{count} documents')
  return (
    <Page
      title={title}
      name={collection}
      description={`${count}. ${describeFields(fields, may('edit'))}`}
      action={
        may('edit') && (
          <DialogButton label={t('Delete collection')} variant="subtle" color="red">
            {dialog => <DeleteCollection {...dialog} {...{ workspace, collection, documents }} />}
          </DialogButton>
        )
      }
    >
      {summary.down !== undefined && (
        <Alert color="red" role="alert" title={t('This collection is down')}>
          {t('Its queries and documents get status 503: {reason}', { reason: summary.down })}
        </Alert>
      )}
      <CollectionContext value={{ workspace, summary, upload }}>
        <Tabs
          value={current}
          onChange={to =>
            navigate({
              to: to === firstTab?.to ? pathname : pathname + `${to}`.slice(collectionAddress.length),
            })
          }
          keepMounted={false}
        >
          <TabList label={t('Parts of the collection')} current={current}>
            {tabs.map(({ to, label }) => (
              <Tabs.Tab key={to} value={to}>
                {label}
              </Tabs.Tab>
            ))}
          </TabList>
          {tabs.map(({ to }) => (
            <Tabs.Panel key={to} value={to} pt="lg">
              <Suspense fallback={<Loading />}>
                <Outlet />
              </Suspense>
            </Tabs.Panel>
          ))}
        </Tabs>
        <Suspense>{upload.underway && <ImportGuard underway={upload.underway} within={pathname} />}</Suspense>
      </CollectionContext>
    </Page>
  )
}
