/** Server > Status: version, checks of `querent doctor`, nodes. */
import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { NodeHealth } from '@querent/contract/manage'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { baseUrl } from '#api/addresses.ts'
import { management, readOperation } from '#api/manage.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { Facts } from '#ui/facts.tsx'
import { Loading } from '#ui/loading.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { Checks, type ShownCheck, summarizeChecks } from './health.tsx'

export const Status = () => {
  const { data: server } = useSuspenseQuery(readOperation('getServer', {}))
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['diagnose'],
    queryFn: readDiagnosis,
    staleTime: 0,
  })
  const { version, storage, engine, mail, lastBackupAt, authUrl } = server
  return (
    <Page
      title={t('Status')}
      description={t('Version, health and nodes of this server.')}
      action={
        <Button variant="default" loading={isFetching} onClick={() => refetch()}>
          {t('Check again')}
        </Button>
      }
    >
      <Facts
        facts={[
          [t('Version'), version],
          [t('Query service'), baseUrl],
          [t('Authorization server'), authUrl],
          [t('Storage'), storage === 'postgres' ? 'PostgreSQL' : 'SQLite'],
          [t('Search engine'), engine === 'opensearch' ? 'OpenSearch' : t('Embedded')],
          [t('Mail server'), mail ? mail.server : t('None')],
          [t('Last backup'), <Moment key="backup" moment={lastBackupAt} never={t('None')} />],
        ]}
      />
      <Text size="sm" c="dimmed">
        {tNodes(
          'For requests and load over time, read the {metrics} of the server. The docs list its {limits}, and say how it {grows}.',
          {
            metrics: <DocsLink page="watch">{t('metrics')}</DocsLink>,
            limits: <DocsLink page="limits">{t('limits')}</DocsLink>,
            grows: <DocsLink page="scale">{t('grows with its load')}</DocsLink>,
          },
        )}
      </Text>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && (
        <Stack gap="sm">
          <Title order={2} size="h4">
            {t('Health')}
          </Title>
          <Text role="status">{summarizeChecks(data.checks)}</Text>
          <Checks checks={data.checks} label={t('Checks of the server')} />
        </Stack>
      )}
      {data && data.nodes.length > 0 && (
        <Stack gap="sm">
          <Title order={2} size="h4">
            {t('Nodes')}
          </Title>
          <Text c="dimmed" size="sm">
            {t('Each node checks itself every 30 seconds.')}
          </Text>
          {data.nodes.map(node => (
            <Node key={node.id} node={node} />
          ))}
        </Stack>
      )}
    </Page>
  )
}

const DocsLink = ({ page, children }: { page: string; children: string }) => (
  <Anchor href={`/console/docs/${page}.html`} target="_blank" inherit>
    {children}
  </Anchor>
)

const Node = ({ node }: { node: NodeHealth }) => {
  const { host, services, listening, version, startedAt, seenAt, checks } = node
  const serviceNames = { query: t('queries'), authorization: t('authorization') } as const
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" align="baseline">
          <Title order={3} size="h5">
            {host}
          </Title>
          <Text size="sm" c="dimmed">
            {t('Version {version}', { version })}
          </Text>
        </Group>
        <Facts
          facts={[
            [t('Services'), services.map(service => serviceNames[service]).join(', ')],
            [t('Listens on'), listening.join(', ')],
            [t('Started'), <Moment key="started" moment={startedAt} />],
            [t('Last report'), <Moment key="seen" moment={seenAt} />],
          ]}
        />
        <Checks checks={checks} label={t('Checks of {host}', { host })} />
      </Stack>
    </Paper>
  )
}

/** The checks of the server, and the one that only this browser can do. */
const readDiagnosis = async (): Promise<{ checks: ShownCheck[]; nodes: NodeHealth[] }> => {
  const [{ checks, nodes = [] }, reachable] = await Promise.all([
    management.call('diagnose', { query: { allNodes: 'true' } }),
    checkQueryService(),
  ])
  return { checks: [reachable, ...checks], nodes }
}

const checkQueryService = async (): Promise<ShownCheck> => {
  const check = { name: 'addresses', isTranslated: true } as const
  const isThere = await fetch(`${baseUrl}/.well-known/oauth-protected-resource`).then(
    async reply => reply.ok && Object(await reply.json()).resource === baseUrl,
    () => false,
  )
  return isThere
    ? {
        ...check,
        state: 'ok',
        message: t('this browser reaches the query service at {baseUrl}', { baseUrl }),
      }
    : {
        ...check,
        state: 'fail',
        message: t('this browser does not reach the query service at {baseUrl}', { baseUrl }),
        advice: t('start it, or check baseUrl and the proxy'),
      }
}
