/** The overview of a workspace: its usage, and the next steps until an application can query it. */
import { Badge, Button, Group, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ApiSummary, CollectionSummary, SystemToSystem } from '@querent/contract/manage'
import { IconArrowRight, IconCheck } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { baseUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { useWorkspaceLists } from '#api/workspace-lists.ts'
import { t, tCount, tNodes } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ButtonLink, TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { useIsPhone } from '#ui/phone-fold.tsx'
import { roleNames } from '#ui/role-names.ts'

const CreateSystemToSystemAccount = lazy(async () => ({
  default: (await import('#pages/team-members/create-system-to-system-account.tsx'))
    .CreateSystemToSystemAccount,
}))

const UsageCard = lazy(async () => ({ default: (await import('./usage-card.tsx')).UsageCard }))

export const Overview = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/' })
  const params = { workspace }
  const { may, roles } = useWorkspaceAccess(workspace)
  const { data: workspaces } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { apis, collections, accounts } = useWorkspaceLists(workspace)
  const { title = workspace, description = '' } =
    workspaces.items.find(item => item.workspace === workspace) ?? {}
  const [api] = apis ?? []
  const [collection] = collections ?? []
  const documents = collections?.reduce((sum, { documents }) => sum + (documents ?? 0), 0) ?? 0
  // Only administrators see the accounts.
  const isSetUp = documents > 0 && api !== undefined && accounts?.length !== 0
  const isUsed = useHasQueries(workspace, may('edit'))
  return (
    <Page
      title={title}
      description={t('Workspace {workspace}. Your role: {roles}', {
        workspace,
        roles: roles.map(role => roleNames[role]).join(', ') || t('operator'),
      })}
    >
      {description !== '' && <Text style={{ whiteSpace: 'pre-line' }}>{description}</Text>}
      <Suspense>{may('edit') && (isSetUp || isUsed) && <UsageCard workspace={workspace} />}</Suspense>
      <StepList workspace={workspace} isDone={isSetUp && isUsed}>
        {collections && may('edit') && <CreateCollection workspace={workspace} collections={collections} />}
        {collections && !may('edit') && <ChooseImport workspace={workspace} collections={collections} />}
        {collection && may('edit') && (
          <ImportDocuments workspace={workspace} collection={collection} documents={documents} />
        )}
        {collection && may('edit') && apis?.length === 0 && (
          <Step isDone={false} title={t('Create an API')}>
            {t('Applications query it.')}{' '}
            <TextLink to="/w/$workspace/settings/workspace-file" params={params}>
              {t('Add one to the workspace file')}
            </TextLink>
          </Step>
        )}
        {api && may('query') && (
          <Step isDone={isUsed || undefined} title={t('Try it')}>
            <TryApis workspace={workspace} apis={apis ?? []} />
          </Step>
        )}
        {accounts && <ConnectBackend workspace={workspace} accounts={accounts} />}
        {accounts && (
          <Step title={t('Invite people')}>
            {tNodes('{invite}, and {register} that they sign in to.', {
              invite: (
                <TextLink to="/w/$workspace/settings/team-members" params={params}>
                  {t('Invite team members')}
                </TextLink>
              ),
              register: (
                <TextLink to="/w/$workspace/settings/applications" params={params}>
                  {t('register the application')}
                </TextLink>
              ),
            })}
          </Step>
        )}
      </StepList>
      {roles.length > 0 && roles.every(role => role === 'data-provider') && (
        <Text>
          {t('You can add, replace and delete documents of this workspace by id, but not read them.')}
        </Text>
      )}
      {apis?.slice(0, apisMax).map(({ api, title }) => (
        <CopyValue
          key={api}
          label={apis.length === 1 ? t('Address of the API') : t('Address of the API “{title}”', { title })}
          value={`${baseUrl}/4/${workspace}/api/${api}`}
        />
      ))}
    </Page>
  )
}

/** APIs that are named. The others are in their list. */
const apisMax = 5

const TryApis = ({ workspace, apis }: { workspace: string; apis: readonly ApiSummary[] }) => (
  <>
    {apis.slice(0, apisMax).map(({ api, title }) => (
      <div key={api}>
        <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api }}>
          {t('Query the API “{title}”', { title })}
        </TextLink>
      </div>
    ))}
    {apis.length > apisMax && (
      <TextLink to="/w/$workspace/apis" params={{ workspace }}>
        {t('All {count} APIs', { count: String(apis.length) })}
      </TextLink>
    )}
  </>
)

interface CollectionsProps {
  workspace: string
  collections: readonly CollectionSummary[]
}

const CreateCollection = ({ workspace, collections }: CollectionsProps) => (
  <Step isDone={collections.length > 0} title={t('Create a collection')}>
    {collections.length > 0 ? (
      <>
        {t('Collections: {names}.', {
          names: collections.map(({ title }) => title).join(', '),
        })}{' '}
        <TextLink to="/w/$workspace/settings/workspace-file" params={{ workspace }}>
          {t('Edit the workspace file')}
        </TextLink>
      </>
    ) : (
      <Group gap="sm" mt={4}>
        <ButtonLink to="/w/$workspace/create-collection" params={{ workspace }}>
          {t('Start from a file of documents')}
        </ButtonLink>
        <span>
          {tNodes('or {write}', {
            write: (
              <TextLink to="/w/$workspace/settings/workspace-file" params={{ workspace }}>
                {t('write the workspace file')}
              </TextLink>
            ),
          })}
        </span>
      </Group>
    )}
  </Step>
)

/** For somebody who may only import. */
const ChooseImport = ({ workspace, collections }: CollectionsProps) => (
  <Step title={t('Import documents')}>
    {collections.length > 0
      ? collections.map(item => (
          <div key={item.collection}>
            <TextLink
              to="/w/$workspace/data/$collection/import"
              params={{ workspace, collection: item.collection }}
            >
              {t('Import into {collection}', { collection: item.title })}
            </TextLink>
          </div>
        ))
      : t('No collections yet. An administrator can add one in the workspace file.')}
  </Step>
)

interface ImportDocumentsProps {
  workspace: string
  collection: CollectionSummary
  /** Number of documents in all collections. */
  documents: number
}

const ImportDocuments = ({ workspace, collection, documents }: ImportDocumentsProps) => (
  <Step isDone={documents > 0} title={t('Import documents')}>
    {documents > 0 && <>{tCount(documents, '{count} document.', '{count} documents.')} </>}
    <TextLink
      to="/w/$workspace/data/$collection/import"
      params={{ workspace, collection: collection.collection }}
    >
      {documents > 0 ? t('Import more') : t('Import a file')}
    </TextLink>
  </Step>
)

const ConnectBackend = ({
  workspace,
  accounts,
}: {
  workspace: string
  accounts: readonly SystemToSystem[]
}) => (
  <Step isDone={accounts.length > 0} title={t('Connect your backend')}>
    {accounts.length > 0 && (
      <div>
        <TextLink to="/w/$workspace/settings/team-members" params={{ workspace }}>
          {t('System-to-System accounts')}
        </TextLink>
      </div>
    )}
    {/* Always mounted: the dialog shows the new Client Secret after the list has refreshed. */}
    <DialogButton
      label={t('Create System-to-System account')}
      variant="default"
      mt={4}
      h="auto"
      mih={36}
      // In two lines on a phone.
      styles={{ label: { whiteSpace: 'normal' } }}
    >
      {dialog => <CreateSystemToSystemAccount workspace={workspace} {...dialog} />}
    </DialogButton>
  </Step>
)

/** Whether somebody has queried the workspace in the last 30 days. */
const useHasQueries = (workspace: string, mayKnow: boolean): boolean => {
  const { data } = useQuery({
    ...readOperation('summarizeUsage', { params: { workspace }, query: { period: '30d' } }),
    enabled: mayKnow,
  })
  return (data?.total.queries ?? 0) > 0
}

interface StepListProps {
  workspace: string
  /** Whether all steps that must be done are done, so that the list can be closed. */
  isDone: boolean
  children: ReactNode
}

/**
 * The first steps. This browser remembers if the person has closed or opened them. On a phone they are closed once they are done, because
 * they would fill the screen.
 */
const StepList = ({ workspace, isDone, children }: StepListProps) => {
  const key = `querent-first-steps-closed-${workspace}`
  const isPhone = useIsPhone()
  const [choice, setChoice] = useState(() => localStorage.getItem(key))
  const areClosed = choice === null ? isPhone : choice === '1'
  const toggle = () => {
    const chosen = areClosed ? '0' : '1'
    localStorage.setItem(key, chosen)
    setChoice(chosen)
  }
  return (
    <>
      {isDone && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {areClosed ? '' : t('You can query. The first steps are done.')}
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={toggle}>
            {areClosed ? t('Show the first steps') : t('Close the first steps')}
          </Button>
        </Group>
      )}
      {/* Closed, not removed: a dialog in it shows a new Client Secret. */}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" display={isDone && areClosed ? 'none' : undefined}>
        {children}
      </SimpleGrid>
    </>
  )
}

interface StepProps {
  title: string
  /** Undefined: an optional step. */
  isDone?: boolean | undefined
  children: ReactNode
}

/** One step. A frame and a badge mark steps that are not done yet. */
const Step = ({ title, isDone, children }: StepProps) => (
  <Paper
    withBorder
    p="md"
    style={isDone === false ? { borderColor: 'var(--mantine-color-anchor)' } : undefined}
  >
    <Group wrap="nowrap" align="flex-start">
      <ThemeIcon
        radius="xl"
        variant={isDone ? 'filled' : 'default'}
        color="teal.9"
        role="img"
        aria-label={isDone ? t('done') : isDone === undefined ? t('any time') : t('to do')}
      >
        {isDone && <IconCheck size={18} />}
        {isDone === undefined && <IconArrowRight size={18} />}
      </ThemeIcon>
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          {isDone === false && <Badge aria-hidden>{t('to do')}</Badge>}
        </Group>
        <Text component="div" size="sm">
          {children}
        </Text>
      </Stack>
    </Group>
  </Paper>
)
