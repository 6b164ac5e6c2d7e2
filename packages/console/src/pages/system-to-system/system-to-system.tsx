import { useParams } from '@tanstack/react-router'
import { Page } from '#ui/page.tsx'

/** One System-to-System account: its secrets, addresses, state. */
export const SystemToSystemAccount = () => {
  const { clientId } = useParams({
    from: '/signed-in/w/$workspace/settings/team-members/system-to-system/$clientId',
  })
  return <Page title={clientId}>{null}</Page>
}
