/** Switches the query log on where its texts are missed. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'

/** Says what the query log stores. Administrators have a button. */
export const SwitchOnQueryLog = ({ workspace, keepDays }: { workspace: string; keepDays: number }) => {
  const { may } = useWorkspaceAccess(workspace)
  const { mutate, error, isPending } = useOperation('updateSettings')
  const isAdministrator = may('administer')
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm" c="dimmed">
        {t(
          'Switched on, it stores the text of each search with its count per day, without the account. Texts can contain personal data.',
        )}
        {!isAdministrator && ` ${t('An administrator can switch it on in the general settings.')}`}
      </Text>
      {isAdministrator && (
        <Group>
          <Button
            variant="default"
            size="xs"
            loading={isPending}
            onClick={() =>
              mutate({
                params: { workspace },
                input: { queryLog: { parameters: 'full', keep: `${keepDays}d` } },
              })
            }
          >
            {t('Switch on the query log')}
          </Button>
        </Group>
      )}
      {error && <ErrorNote error={error} />}
    </Stack>
  )
}
