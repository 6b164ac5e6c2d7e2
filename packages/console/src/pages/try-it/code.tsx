import { Group, Stack, Switch, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { queryToken } from '#api/session.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { TextLink } from '#ui/links.tsx'
import type { ShownQuery } from './answer.ts'
import { type ProgramToken, writePrograms } from './programs.ts'
import { pageSize } from './search.ts'

interface CodeProps extends ShownQuery {
  /** Whether queries need no token. */
  isPublic: boolean
}

/** Programs that send the current query: curl, TypeScript, Python and our client. */
export const Code = ({ workspace, api, isPublic, stack, config, offset, previewedMember }: CodeProps) => {
  const [ownToken, setOwnToken] = useState<string>()
  const [hasHighlights, setHighlights] = useState(false)
  const token: ProgramToken = isPublic ? 'none' : ownToken === undefined ? 'account' : { token: ownToken }
  const options = {
    count: pageSize,
    ...(config !== undefined && { config }),
    ...(offset > 0 && { offset }),
    ...(hasHighlights && { highlight: true }),
  }
  const programs = writePrograms({ workspace, api, stack, options, token })
  return (
    <Stack gap="md">
      <Group gap="xl">
        {!isPublic && (
          <Switch
            label={t('Use my own access token')}
            checked={ownToken !== undefined}
            onChange={async event =>
              setOwnToken(event.currentTarget.checked ? await queryToken() : undefined)
            }
          />
        )}
        <Switch
          label={t('Ask for highlights')}
          checked={hasHighlights}
          onChange={event => setHighlights(event.currentTarget.checked)}
        />
      </Group>
      <Tabs defaultValue="curl">
        <Tabs.List aria-label={t('Code for this query')}>
          {Object.keys(programs).map(name => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(programs).map(([name, text]) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <CopyValue label={t('This query, {language}', { language: name })} value={text} block />
          </Tabs.Panel>
        ))}
      </Tabs>
      {isPublic ? (
        <Text size="sm" c="dimmed">
          {t('This API is public: queries need no token.')}
        </Text>
      ) : (
        <TokenNote workspace={workspace} isOwn={ownToken !== undefined} />
      )}
      {previewedMember !== undefined && (
        <Text size="sm">
          {t(
            'The code does not use the preview of {member}: results depend on the account of the token. Only the console supports previews.',
            { member: previewedMember },
          )}
        </Text>
      )}
    </Stack>
  )
}

const TokenNote = ({ workspace, isOwn }: { workspace: string; isOwn: boolean }) => {
  const { may } = useWorkspaceAccess(workspace)
  if (isOwn)
    return (
      <Text size="sm">
        {t(
          'The token acts as you until it expires, within the hour. Use it to try the code, and never share or commit it.',
        )}
      </Text>
    )
  return (
    <Text size="sm" c="dimmed">
      {may('administer')
        ? tNodes('The code reads the Client ID and Client Secret of a System-to-System account: {link}.', {
            link: (
              <TextLink to="/w/$workspace/settings/team-members" params={{ workspace }}>
                {t('create one in Team Members')}
              </TextLink>
            ),
          })
        : t(
            'The code reads the Client ID and Client Secret of a System-to-System account. An administrator can create one in Team Members.',
          )}
    </Text>
  )
}
