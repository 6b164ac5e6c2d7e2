import { List, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'

const listedMax = 10

/**
 * Names the open invitations that stop working when a member is removed or is no longer an administrator. Registration tokens have no author
 * in their list, so these are only mentioned. Renders nothing for a member without open invitations.
 */
export const WithdrawnAccess = ({ workspace, email }: { workspace: string; email: string }) => {
  const { data } = useSuspenseQuery(
    readOperation('listInvitations', { params: { workspace }, query: { count: 1000 } }),
  )
  const invited = data.items.filter(({ invitedBy, expired }) => invitedBy === email && !expired)
  if (invited.length === 0) return null
  const moreCount = invited.length - listedMax
  return (
    <>
      <Text mt="sm">
        {t(
          'Unless they are an operator, the registration tokens that they created and these invitations stop working:',
        )}
      </Text>
      <List>
        {invited.slice(0, listedMax).map(invitation => (
          <List.Item key={invitation.id}>{displayEmail(invitation.email)}</List.Item>
        ))}
        {moreCount > 0 && <List.Item>{t('and {count} more', { count: moreCount })}</List.Item>}
      </List>
    </>
  )
}
