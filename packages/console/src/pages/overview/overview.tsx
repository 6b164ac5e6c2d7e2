import { useParams } from '@tanstack/react-router'
import { Page } from '#ui/page.tsx'

/** A workspace's start page. */
export const Overview = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/' })
  return <Page title={workspace}>{null}</Page>
}
