/** The pages of operators. The server rejects the operations of everybody else. */
import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'

export const ServerArea = () => {
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  if (me.operator) return <Outlet />
  return (
    <Empty title={t("You don't have access to this page")} isPage>
      <Text>{t('It is available to operators of this server.')}</Text>
      <TextLink to="/workspaces">{t('Your workspaces')}</TextLink>
    </Empty>
  )
}
