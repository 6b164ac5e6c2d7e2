/** A workspace's start page: what there is, and what is still to do until an application gets its first answer. */
import { Badge, Group, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconArrowRight, IconCheck } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, type ReactNode } from 'react'
import { baseUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { formatCount } from '#ui/format-count.ts'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'

const CreateSystemToSystemAccount = lazy(async () => ({
  default: (await import('#pages/team-members/create-system-to-system-account.tsx'))
    .CreateSystemToSystemAccount,
}))

export const Overview = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/' })
  const params = { workspace }
  const { may, roles } = useWorkspaceAccess(workspace)
  const { data: workspaces } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { data: apis } = useQuery({ ...readOperation('listApis', { params }), enabled: may('look') })
  const { data: collections } = useQuery({
    ...readOperation('listCollections', { params }),
    enabled: may('import'),
  })
  const { data: accounts } = useQuery({
    ...readOperation('listSystemToSystem', { params, query: { count: 100 } }),
    enabled: may('administer'),
  })
  const title = workspaces.items.find(item => item.workspace === workspace)?.title ?? workspace
  const [api] = apis?.items ?? []
  const [collection] = collections?.items ?? []
  const documents = collections?.items.reduce((sum, { documents }) => sum + (documents ?? 0), 0)
  return (
    <Page
      title={title}
      description={`The workspace ${workspace}. Your role: ${roles.join(', ') || 'operator'}`}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {collections && may('edit') && (
          <Step isDone={collection !== undefined} title="Describe a search">
            {collection && `Collections: ${collections.items.map(item => item.collection).join(', ')}. `}
            <TextLink to="/w/$workspace/settings/workspace-file" params={params}>
              {collection ? 'Change the workspace file' : 'Write the workspace file'}
            </TextLink>
          </Step>
        )}
        {collections && !may('edit') && (
          <Step title="Import documents">
            {collection ? (
              collections.items.map(item => (
                <div key={item.collection}>
                  <TextLink
                    to="/w/$workspace/data/$collection"
                    params={{ workspace, collection: item.collection }}
                  >
                    Import into {item.collection}
                  </TextLink>
                </div>
              ))
            ) : (
              <>There is no collection yet: an administrator describes it in the workspace file.</>
            )}
          </Step>
        )}
        {collection && may('edit') && (
          <Step isDone={(documents ?? 0) > 0} title="Import documents">
            {documents ? `${formatCount(documents, 'document')}. ` : ''}
            <TextLink
              to="/w/$workspace/data/$collection"
              params={{ workspace, collection: collection.collection }}
            >
              {documents ? 'Import more' : 'Import a file'}
            </TextLink>
          </Step>
        )}
        {collection && may('edit') && apis?.items.length === 0 && (
          <Step isDone={false} title="Describe an API">
            It is what applications ask.{' '}
            <TextLink to="/w/$workspace/settings/workspace-file" params={params}>
              Add one to the workspace file
            </TextLink>
          </Step>
        )}
        {api && may('query') && (
          <Step title="Try it">
            <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api: api.api }}>
              Query the API “{api.title}”
            </TextLink>
          </Step>
        )}
        {accounts && (
          <Step isDone={accounts.items.length > 0} title="Give a server access">
            {accounts.items.length > 0 && (
              <div>
                <TextLink to="/w/$workspace/settings/team-members" params={params}>
                  System-to-System accounts
                </TextLink>
              </div>
            )}
            {/* Mounted whatever the list holds: the dialogue shows the new Client Secret after the list has it. */}
            <DialogButton
              label="Make a System-to-System account"
              variant="default"
              mt={4}
              h="auto"
              mih={36}
              // In two lines on a phone.
              styles={{ label: { whiteSpace: 'normal' } }}
            >
              {dialog => <CreateSystemToSystemAccount {...params} {...dialog} />}
            </DialogButton>
          </Step>
        )}
        {accounts && (
          <Step title="Give people access">
            <TextLink to="/w/$workspace/settings/team-members" params={params}>
              Invite team members
            </TextLink>
            , and{' '}
            <TextLink to="/w/$workspace/settings/applications" params={params}>
              register the application
            </TextLink>{' '}
            that they sign in to.
          </Step>
        )}
      </SimpleGrid>
      {roles.length > 0 && roles.every(role => role === 'data-provider') && (
        <Text>You add, replace and delete documents of this workspace by id, and read nothing of it.</Text>
      )}
      {api && <CopyValue label="Address of the API" value={`${baseUrl}/4/${workspace}/api/${api.api}`} />}
    </Page>
  )
}

interface StepProps {
  title: string
  /** Undefined: nothing that is ever finished. */
  isDone?: boolean
  children: ReactNode
}

/** What is still to do is framed and says so; what is optional looks calm. */
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
        aria-label={isDone ? 'done' : isDone === undefined ? 'any time' : 'to do'}
      >
        {isDone && <IconCheck size={18} />}
        {isDone === undefined && <IconArrowRight size={18} />}
      </ThemeIcon>
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Title order={2} size="h5">
            {title}
          </Title>
          {isDone === false && <Badge aria-hidden>to do</Badge>}
        </Group>
        <Text component="div" size="sm">
          {children}
        </Text>
      </Stack>
    </Group>
  </Paper>
)
